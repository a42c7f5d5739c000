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
func post(what string, body object) {
	text, _ := json.Marshal(body)
	url := os.Getenv("POSTHORN_API") + "/v1/numbers/" + os.Getenv("POSTHORN_NUMBER") + "/" + what
	request, _ := http.NewRequest("POST", url, bytes.NewReader(text))
	request.Header = http.Header{"Authorization": {"Bearer " + os.Getenv("POSTHORN_TOKEN")}, "Content-Type": {"application/json"}}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		fmt.Println("connector:", what, err)
		return
	}
	defer response.Body.Close()
	if reason, _ := io.ReadAll(response.Body); response.StatusCode >= 300 {
		fmt.Println("connector:", what, "got", response.StatusCode, string(reason))
	}
}
func report(id, to, status any) {
	post("statuses", object{"status": object{"id": id, "recipient_id": to, "status": status, "timestamp": now()}})
}

// The runs of deliveries that were passed on. A redelivery is another run.
var sent sync.Map

// pass gives a message to the contact. Call your messaging service here, and report the statuses that it reports.
func pass(id, run, to, text string) {
	if _, isRepeated := sent.LoadOrStore(id+run, true); isRepeated {
		return
	}
	fmt.Println("to " + to + ": " + text)
	report(id, to, "sent")
	report(id, to, "delivered")
}

// The reply to each option of a question, by contact and title.
var replies sync.Map

func noteOption(question, to, kind string, option object) {
	reply := object{"type": kind, kind: object{"id": option["id"], "title": option["title"]}}
	message := object{"type": "interactive", "interactive": reply, "context": object{"id": question}}
	replies.Store(fmt.Sprint(to, option["title"]), message)
}

// act does what a contact does: your messaging service calls it, and posthorn conform --drive.
func act(a object) {
	from, message := a["from"], object{"type": "text", "text": object{"body": a["text"]}}
	if a["status"] != nil {
		report(a["id"], from, a["status"])
		return
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
	post("messages", object{"contact": object{"id": from, "profile": object{"name": from}}, "message": all})
}
