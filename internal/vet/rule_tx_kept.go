package vet

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/tx-kept.txtar
var txKeptExample string

var txKept = &Rule{rule.Doc{
	ID: "tx-kept", Kind: rule.Code, Severity: rule.Error,
	Title:   "A handler keeps its transaction after it returns",
	Why:     "The inbox commits the transaction, or rolls it back, when the handler returns. What uses it later fails, or runs beside the commit and is lost without a word.",
	Fix:     "Do all of the work before the handler returns, and wait for every goroutine that uses the transaction.",
	Example: txKeptExample,
}, checkTxKept}

func checkTxKept(p *pass) {
	for h := range p.handlers() {
		k := p.newKeeper(h.within, h.body, h.sig, transactionOf(h.sig))
		for _, found := range k.find() {
			p.say(found.at, nil, "%s %s: the transaction is over when it returns", h.name, found.how)
		}
	}
}
