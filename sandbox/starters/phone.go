// Messages to contacts, and those of contacts and statuses, which the connector posts to the platform.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"
)

func now() string { return fmt.Sprint(time.Now().Unix()) }
func post(what string, body object) error {
	text, _ := json.Marshal(body)
	url := os.Getenv("POSTHORN_API") + "/v1/numbers/" + os.Getenv("POSTHORN_NUMBER") + "/" + what
	request, _ := http.NewRequest("POST", url, bytes.NewReader(text))
	request.Header = http.Header{"Authorization": {"Bearer " + os.Getenv("POSTHORN_TOKEN")}, "Content-Type": {"application/json"}}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if reason, _ := io.ReadAll(response.Body); response.StatusCode >= 300 {
		return fmt.Errorf("%s got %d %s", what, response.StatusCode, reason)
	}
	return nil
}
func report(id, to, status any) error {
	return post("statuses", object{"status": object{"id": id, "recipient_id": to, "status": status, "timestamp": now()}})
}

// The runs of deliveries that were passed on. A redelivery is another run.
var sent sync.Map

// pass gives a message to the contact. Call your messaging service here, and report the statuses that it reports.
func pass(id, run, to, text string) {
	if _, isRepeated := sent.LoadOrStore(id+run, true); isRepeated {
		return
	}
	fmt.Println("to " + to + ": " + text)
	for _, status := range []string{"sent", "delivered"} {
		if err := report(id, to, status); err != nil {
			fmt.Println("connector:", err)
		}
	}
}

// The reply to each option of a question, by contact and title.
var replies sync.Map

func noteOption(question, to, kind string, option object) {
	reply := object{"type": kind, kind: object{"id": option["id"], "title": option["title"]}}
	message := object{"type": "interactive", "interactive": reply, "context": object{"id": question}}
	replies.Store(fmt.Sprint(to, option["title"]), message)
}

// act does what a contact does: your messaging service calls it, and posthorn conform --drive.
func act(a object) error {
	from, message := a["from"], object{"type": "text", "text": object{"body": a["text"]}}
	if a["status"] != nil {
		return report(a["id"], from, a["status"])
	}
	if given, ok := a["message"].(object); ok {
		message = given
	}
	if known, ok := replies.Load(fmt.Sprint(from, a["tap"])); ok {
		message = known.(object)
	}
	if a["quote"] != nil {
		message["context"] = object{"id": a["quote"]}
	}
	all := object{"from": from, "id": rand.Text(), "timestamp": now()}
	for key, value := range message {
		all[key] = value
	}
	return post("messages", object{"contact": object{"id": from, "profile": object{"name": from}}, "message": all})
}
