# Two repositories in the current folder, with ten releases between August and
# November 2026: orders, which writes OrderPaid, and customers, whose loyalty and
# notification read it. Needs git, and evcontract in PATH. What a release may not
# do is refused here: each is checked first, as of its own day.
#
#   2026-08-01  orders v1.0.0      OrderPaid.v1, and order-status, which reads it
#   2026-08-05  customers v0.1.0   loyalty and notification, who vendored it
#   2026-09-01  orders v1.1.0      a new optional field, discount
#   2026-09-20  orders v1.2.0      a new method, voucher: nobody is strict about methods
#   2026-09-25  customers v0.2.0   loyalty reads coupon too
#   2026-10-10  orders v1.3.0      coupon is gone: a break that is accepted, under a waiver
#   2026-10-20  customers v0.3.0   loyalty reads it no more
#   2026-11-01  orders v1.4.0      amounts as decimal texts: a wanted break, as OrderPaid.v2 beside v1
#   2026-11-10  customers v0.4.0   loyalty reads v2 and v1
#   2026-11-20  orders v1.5.0      v1 is deprecated
#
# In environments/prod.yaml of orders run: orders v1.5.0, order-status v1.4.0,
# loyalty v0.4.0 and notification v0.3.0.
set -eu
export GIT_AUTHOR_NAME=evcontract GIT_AUTHOR_EMAIL=evcontract@example.com
export GIT_COMMITTER_NAME=evcontract GIT_COMMITTER_EMAIL=evcontract@example.com
example=$(cd "$(dirname "$0")/../.." && pwd)
top=$(pwd)
event=contracts/orders/order_paid.v1.event.yaml
schema=contracts/orders/order_paid.v1.schema.json
loyalty=contracts/loyalty.consumer.yaml

# edit FILE EXPRESSION: sed in place, the same with every sed; it must change something.
edit() {
	sed "$2" "$1" >"$1.new"
	if cmp -s "$1" "$1.new"; then
		echo "$2 changes nothing in $1" >&2
		exit 1
	fi
	mv "$1.new" "$1"
}

# release TAG DAY
release() {
	if git rev-parse -q --verify HEAD >/dev/null; then
		evcontract check --window --as-of "$2" >"$top/check.txt" || { cat "$top/check.txt"; exit 1; }
	fi
	export GIT_AUTHOR_DATE="$2T12:00:00Z" GIT_COMMITTER_DATE="$2T12:00:00Z"
	git add -A
	git commit -qm "$1"
	git tag -a "$1" -m "$1"
}

mkdir -p orders/contracts/orders/examples orders/contracts/consumers orders/environments customers/contracts
cd "$top/orders"
git init -q -b main
cp "$example/$schema" "$example/$event" contracts/orders/
cp -r "$example/contracts/orders/examples/order_paid" contracts/orders/examples/
cp "$example/contracts/consumers/order_status.consumer.yaml" contracts/consumers/
edit $event 's/audience: open/audience: closed/'
cat >evcontract.yaml <<'END'
# Orders: what the order service writes.
against: main
window: {retention: 7d, rollback: 72h}
repos:
  orders: {path: ., tags: "v*"}
END
release v1.0.0 2026-08-01

cd "$top/customers"
git init -q -b main
cp "$example/contracts/consumers/loyalty.consumer.yaml" "$example/contracts/consumers/notification.consumer.yaml" contracts/
cat >evcontract.yaml <<'END'
# Customers: loyalty points and messages.
against: main
repos:
  customers: {path: ., tags: "v*"}
  orders: {path: ../orders, tags: "v*"}
generate: {go: {out: events, package: events}}
END
evcontract vendor orders@v1.0.0
release v0.1.0 2026-08-05

cd "$top/orders"
edit evcontract.yaml '$a\
  customers: {path: ../customers, tags: "v*"}'
edit $schema 's/^    "coupon": .*/&,\
    "discount": {"type": "integer", "minimum": 0}/'
release v1.1.0 2026-09-01

edit $schema 's/"wallet"\]/"wallet", "voucher"]/'
release v1.2.0 2026-09-20

cd "$top/customers"
edit $loyalty 's/amount.minor_units\]/amount.minor_units, coupon]/'
evcontract vendor orders@v1.2.0
release v0.2.0 2026-09-25

cd "$top/orders"
edit $schema '/^    "coupon"/d'
cat >>evcontract.yaml <<'END'
waivers:
  # Loyalty was asked, and will stop to wait for it.
  - {rule: field-unsent, at: OrderPaid.v1/coupon, reason: "never filled since 2025", owner: team-orders, until: 2026-12-31}
END
release v1.3.0 2026-10-10

cd "$top/customers"
edit $loyalty 's/, coupon\]/]/'
evcontract vendor orders@v1.3.0
release v0.3.0 2026-10-20

cd "$top/orders"
v2=contracts/orders/order_paid.v2
sed 's/"minor_units": .*/"value": {"description": "In the currency itself.", "type": "string", "pattern": "^[0-9]+(\\\\.[0-9]+)?$", "maxLength": 24},/; s/"required": \["minor_units"/"required": ["value"/' $schema >$v2.schema.json
sed 's/OrderPaid.v1/OrderPaid.v2/; s/order_paid.v1/order_paid.v2/; /^examples:/,$d' $event >$v2.event.yaml
release v1.4.0 2026-11-01

cd "$top/customers"
sed -n '/- event:/,/unknown_enums/p' $loyalty | sed 's/\.v1/.v2/; s/minor_units/value/' >v2.txt
edit $loyalty '/unknown_enums/r v2.txt'
rm v2.txt
evcontract vendor orders@v1.4.0
release v0.4.0 2026-11-10

cd "$top/orders"
edit $event 's/^status: .*/status: deprecated\
deprecated: {since: 2026-11-20, sunset: 2027-03-01, successor: OrderPaid.v2}/'
cat >environments/prod.yaml <<'END'
# What runs in production.
orders: v1.4.0          # the order service
order-status: v1.4.0
loyalty: {repo: customers, runs: v0.4.0}
notification: {repo: customers, runs: v0.3.0}
END
edit evcontract.yaml 's/^repos:/environments: {prod: environments\/prod.yaml}\
&/'
release v1.5.0 2026-11-20
evcontract deployed set --env prod orders=v1.5.0
git add -A
git commit -qm 'prod: v1.5.0'
