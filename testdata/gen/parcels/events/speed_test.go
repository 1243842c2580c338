package events

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/testdata/gen/parcels/events/common"
	parcelsv1 "github.com/evcontract/evcontract/testdata/gen/parcels/events/parcels/v1"
)

// parcel is an event of about 2 KB, as a fill-in type and as the official
// message.
func parcel() (ParcelSentV1, *parcelsv1.ParcelSent) {
	at := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	v := ParcelSentV1{
		Version: 2, SentAt: at, Service: parcelsv1.Service_SERVICE_EXPRESS,
		Price: &common.Money{MinorUnits: 599, Currency: "EUR"}, Note: new("at the back door"), CustomerID: new("customer-4711"),
	}
	for i := range 50 {
		v.Stops = append(v.Stops, &parcelsv1.Stop{City: fmt.Sprintf("City %d", i), Street: "Long Street 123b, 4th floor"})
	}
	m := &parcelsv1.ParcelSent{
		EventId: "018f3c9a-5a2e-8c11-9d3b-4f5a6b7c8d9e", ParcelId: "parcel-4711", Run: 7, Version: 2, SentAt: timestamppb.New(at),
		Service: v.Service, Price: v.Price, Note: v.Note, Stops: v.Stops, Payer: &parcelsv1.ParcelSent_CustomerId{CustomerId: *v.CustomerID},
	}
	return v, m
}

// BenchmarkDecode reads as a generated consumer does.
func BenchmarkDecode(b *testing.B) {
	_, m := parcel()
	data, err := proto.Marshal(m)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := decodeBillingParcelSentV1(event.Message{Payload: data}, event.Identity{}, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkUnmarshal reads with the official code alone.
func BenchmarkUnmarshal(b *testing.B) {
	_, m := parcel()
	data, err := proto.Marshal(m)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := proto.Unmarshal(data, new(parcelsv1.ParcelSent)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEncode writes what a producer filled in, without the key.
func BenchmarkEncode(b *testing.B) {
	v, _ := parcel()
	for b.Loop() {
		m, err := v.message()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := (proto.MarshalOptions{Deterministic: true}).Marshal(m); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMarshal writes with the official code alone.
func BenchmarkMarshal(b *testing.B) {
	_, m := parcel()
	m.EventId, m.ParcelId, m.Run = "", "", 0
	for b.Loop() {
		if _, err := proto.Marshal(m); err != nil {
			b.Fatal(err)
		}
	}
}
