package vet

import (
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// What is known of packages by name. A set lists functions, and methods with
// their type in front; "*" stands for all.

type nameSet map[string]string // package to names

// has reports whether a set lists a function. A package's major version in its
// path doesn't matter.
func (s nameSet) has(f *types.Func) bool {
	if f.Pkg() == nil {
		return false
	}
	list := s[majorless(f.Pkg().Path())]
	return list == "*" || containsWord(list, memberName(f))
}

func containsWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if start, open := strings.CutSuffix(w, "*"); w == word || open && strings.HasPrefix(word, start) {
			return true
		}
	}
	return false
}

// memberName is Get, or Client.Get.
func memberName(f *types.Func) string {
	recv := f.Signature().Recv()
	if recv == nil {
		return f.Name()
	}
	t := recv.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		return named.Obj().Name() + "." + f.Name()
	}
	return f.Name()
}

// majorless is a package's path without the major version of its module.
func majorless(path string) string {
	parts := strings.Split(path, "/")
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool {
		digits, ok := strings.CutPrefix(p, "v")
		_, err := strconv.Atoi(digits)
		return ok && err == nil && path != p
	}), "/")
}

var clocks = nameSet{"time": "Now Since Until"}

var randoms = nameSet{
	"math/rand":                                    "*",
	"crypto/rand":                                  "*",
	"golang.org/x/exp/rand":                        "*",
	"github.com/lithammer/shortuuid":               "New",
	"github.com/teris-io/shortid":                  "Generate MustGenerate Shortid.*",
	"github.com/matoous/go-nanoid":                 "New Must Generate MustGenerate ID Nanoid",
	"github.com/jaevor/go-nanoid":                  "*",
	"github.com/aidarkhanov/nanoid":                "New Generate",
	"github.com/nrednav/cuid2":                     "Generate",
	"github.com/lucsky/cuid":                       "New Slug",
	"github.com/thanhpk/randstr":                   "*",
	"github.com/dchest/uniuri":                     "*",
	"github.com/hashicorp/go-secure-stdlib/base62": "Random*",
}

var identifiers = nameSet{
	"github.com/google/uuid":                     "New NewString NewRandom NewRandomFromReader NewUUID NewV6 NewV7 NewV7FromReader NewDCE*",
	"github.com/gofrs/uuid":                      "NewV1 NewV2 NewV4 NewV6 NewV7 NewV1AtTime NewV6AtTime NewV7AtTime Gen.NewV1 Gen.NewV2 Gen.NewV4 Gen.NewV6 Gen.NewV7 Generator.NewV1 Generator.NewV4 Generator.NewV6 Generator.NewV7",
	"github.com/satori/go.uuid":                  "NewV1 NewV2 NewV4",
	"github.com/pborman/uuid":                    "New NewUUID NewRandom NewDCE*",
	"github.com/hashicorp/go-uuid":               "GenerateUUID GenerateRandomBytes GenerateUUIDWithReader",
	"github.com/oklog/ulid":                      "Make New MustNew MustNewDefault Now Timestamp",
	"github.com/segmentio/ksuid":                 "New NewRandom NewRandomWithTime",
	"github.com/rs/xid":                          "New NewWithTime",
	"github.com/bwmarrin/snowflake":              "Node.Generate",
	"github.com/sony/sonyflake":                  "Sonyflake.NextID",
	"go.mongodb.org/mongo-driver/bson/primitive": "NewObjectID NewObjectIDFromTimestamp",
	"go.mongodb.org/mongo-driver/bson":           "NewObjectID NewObjectIDFromTimestamp",
	"go.jetify.com/typeid":                       "New WithPrefix MustGenerate Generate",
	"k8s.io/apimachinery/pkg/util/uuid":          "NewUUID",
}

// freshness says what a function makes anew at every call.
func freshness(f *types.Func) string {
	switch {
	case clocks.has(f):
		return "the clock, " + nameOf(f)
	case randoms.has(f):
		return "a random value, " + nameOf(f)
	case identifiers.has(f):
		return "a fresh id, " + nameOf(f)
	}
	return ""
}

// pure are packages whose functions make their results from their arguments
// alone, so that what is fresh stays so.
var pure = nameSet{
	"fmt": "*", "strconv": "*", "strings": "*", "bytes": "*", "path": "*", "path/filepath": "*", "time": "*",
	"encoding": "*", "encoding/hex": "*", "encoding/base64": "*", "encoding/base32": "*", "encoding/binary": "*", "encoding/json": "*",
	"crypto/sha256": "*", "crypto/sha512": "*", "crypto/sha1": "*", "crypto/sha3": "*", "crypto/md5": "*", "crypto/hmac": "*",
	"hash": "*", "hash/fnv": "*", "hash/crc32": "*", "hash/crc64": "*", "io": "MultiReader LimitReader",
	"math": "*", "math/big": "*", "slices": "*", "maps": "*", "cmp": "*", "net/url": "*", "unicode/utf8": "*", "html": "*",
	"github.com/google/uuid": "*", "github.com/gofrs/uuid": "*", "github.com/satori/go.uuid": "*", "github.com/pborman/uuid": "*",
	"github.com/oklog/ulid": "*", "github.com/segmentio/ksuid": "*", "github.com/rs/xid": "*", "github.com/bwmarrin/snowflake": "*",
	"go.mongodb.org/mongo-driver/bson/primitive": "*", "go.mongodb.org/mongo-driver/bson": "*", "go.jetify.com/typeid": "*",
}

// network are the calls that leave the process. What wraps them is found by
// itself, unless an interface stands between.
var network = nameSet{
	"net/http":                         "Get Head Post PostForm Client.Do Client.Get Client.Head Client.Post Client.PostForm Transport.RoundTrip RoundTripper.RoundTrip",
	"net":                              "Dial* Lookup* Dialer.Dial* Resolver.Lookup*",
	"crypto/tls":                       "Dial* Dialer.Dial*",
	"net/smtp":                         "SendMail Dial Client.Mail Client.Rcpt Client.Data Client.Auth",
	"net/rpc":                          "Dial* Client.Call Client.Go",
	"net/rpc/jsonrpc":                  "Dial",
	"golang.org/x/net/websocket":       "Dial* Message.*",
	"google.golang.org/grpc":           "Dial DialContext ClientConn.Invoke ClientConn.NewStream ClientConnInterface.Invoke ClientConnInterface.NewStream",
	"connectrpc.com/connect":           "Client.Call*",
	"github.com/gorilla/websocket":     "Dialer.Dial* Conn.WriteMessage Conn.WriteJSON Conn.ReadMessage Conn.ReadJSON",
	"github.com/coder/websocket":       "Dial Conn.Write Conn.Read",
	"github.com/valyala/fasthttp":      "Get GetTimeout Post Do DoTimeout DoDeadline DoRedirects Client.Do* Client.Get* Client.Post HostClient.Do* HostClient.Get*",
	"github.com/go-resty/resty":        "Request.Get Request.Post Request.Put Request.Patch Request.Delete Request.Head Request.Options Request.Send Request.Execute",
	"resty.dev":                        "Request.Get Request.Post Request.Put Request.Patch Request.Delete Request.Head Request.Options Request.Send Request.Execute",
	"github.com/sendgrid/sendgrid-go":  "Client.Send Client.SendWithContext API MakeRequest*",
	"github.com/segmentio/kafka-go":    "Writer.WriteMessages Dial* Conn.Write*",
	"github.com/IBM/sarama":            "SyncProducer.SendMessage SyncProducer.SendMessages",
	"github.com/Shopify/sarama":        "SyncProducer.SendMessage SyncProducer.SendMessages",
	"github.com/twmb/franz-go/pkg/kgo": "Client.Produce Client.ProduceSync Client.TryProduce",
	"github.com/confluentinc/confluent-kafka-go/kafka": "Producer.Produce",
	"github.com/nats-io/nats.go":                       "Connect Conn.Publish* Conn.Request* JetStream.Publish* JetStreamContext.Publish*",
	"github.com/nats-io/nats.go/jetstream":             "JetStream.Publish* Publisher.Publish*",
	"github.com/rabbitmq/amqp091-go":                   "Dial* Channel.Publish*",
	"github.com/streadway/amqp":                        "Dial* Channel.Publish",
	"github.com/eclipse/paho.mqtt.golang":              "Client.Publish",
}

// families are packages whose clients do nothing but call a service.
var families = []string{
	"github.com/aws/aws-sdk-go-v2/service/",
	"github.com/aws/aws-sdk-go/service/",
	"github.com/stripe/stripe-go/",
	"github.com/twilio/twilio-go/rest/",
	"github.com/slack-go/slack",
}

// callsOut reports whether a function is a network call by itself.
func callsOut(f *types.Func) bool {
	if network.has(f) || takesCallOptions(f) {
		return true
	}
	if f.Pkg() == nil {
		return false
	}
	if f.Pkg().Name() == "delivery" && strings.HasSuffix(f.Pkg().Path(), "/delivery") && memberName(f) == "Broker.Publish" {
		return true // past the outbox
	}
	for _, family := range families {
		if strings.HasPrefix(f.Pkg().Path()+"/", family) && takesContext(f) {
			return true
		}
	}
	return false
}

// takesContext tells calls of a service's client from its constructors and options.
func takesContext(f *types.Func) bool {
	sig := f.Signature()
	return sig.Recv() != nil && sig.Params().Len() > 0 && isContext(sig.Params().At(0).Type())
}

// takesCallOptions reports whether a function is a method of a gRPC client.
func takesCallOptions(f *types.Func) bool {
	sig := f.Signature()
	if !sig.Variadic() || sig.Recv() == nil {
		return false
	}
	last, _ := sig.Params().At(sig.Params().Len() - 1).Type().(*types.Slice)
	if last == nil {
		return false
	}
	named, ok := types.Unalias(last.Elem()).(*types.Named)
	return ok && named.Obj().Name() == "CallOption" && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "google.golang.org/grpc"
}

// databases speak to the server that the handler's transaction lives on, which
// is not a third party.
var databases = []string{
	"github.com/jackc/", "github.com/lib/pq", "github.com/go-sql-driver/", "modernc.org/", "github.com/mattn/go-sqlite3",
	"github.com/microsoft/go-mssqldb", "github.com/uptrace/bun", "gorm.io/", "github.com/ncruces/go-sqlite3", "zombiezen.com/go/sqlite",
}

func speaksToDatabase(path string) bool {
	for _, start := range databases {
		if strings.HasPrefix(path+"/", start) {
			return true
		}
	}
	return false
}
