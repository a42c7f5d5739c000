package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"testing"
)

func TestOnlyBodiesWithTheRightSignatureAreSigned(t *testing.T) {
	body := []byte(`{"turn":{}}`)
	mac := hmac.New(sha256.New, []byte("secret"))
	mac.Write(body)
	signature := base64.StdEncoding.EncodeToString(mac.Sum(nil))
	if !isSigned(body, signature, "secret") {
		t.Error("the right signature is refused")
	}
	if isSigned(body, signature, "another secret") || isSigned(body, "", "secret") {
		t.Error("a wrong signature is accepted")
	}
}

func TestButtonsBecomeATextWithTheirTitles(t *testing.T) {
	for body, expected := range map[string]string{
		`{"to":"ann","turn":{"type":"text","text":{"body":"Hello"}}}`: "Hello",
		`{"to":"ann","turn":{"type":"interactive","interactive":{"type":"button","body":{"text":"Renew?"},
			"action":{"buttons":[{"type":"reply","reply":{"id":"yes","title":"Yes"}}]}}}}`: "Renew?\n1. Yes",
	} {
		var d delivery
		if err := json.Unmarshal([]byte(body), &d); err != nil {
			t.Fatal(err)
		}
		if text := textOf("1", d); text != expected {
			t.Errorf("%q instead of %q", text, expected)
		}
	}
}
