import { useEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { ContactRecord, ConversationRecord, MessageRecord } from '#core';
import { Sheet } from '../../../../../core/web/sheet.js';
import { ActError, Field, useAct } from '../../components/act.js';
import { type Action, CopyAs } from '../../components/copy.js';
import { JsonView } from '../../components/json-view.js';
import { Loading } from '../../components/status.js';
import { admin, reasonOf } from '../../data/admin.js';
import { live } from '../../data/live.js';
import { controlOf } from '../../data/operator.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord } from '../../data/records.js';
import { texts } from './editor-texts.js';
import type { ShownFlow } from './flow-records.js';

interface Listed {
  readonly conversation: ConversationRecord;
  readonly contact: ContactRecord;
}

/** Sends the flow to a contact, opens it as the contact would, and shows the payload that comes back. */
export default function SendSheet({ flow, isChanged, close }: { flow: ShownFlow; isChanged: boolean; close: () => void }) {
  const numbers = useQuery<{ numbers: readonly NumberRecord[] }>('/numbers');
  const conversations = useQuery<{ conversations: readonly Listed[] }>('/conversations?limit=200', ['message.received']);
  const [chosen, setChosen] = useState<string>();
  const [text, setText] = useState(texts.pleaseFillInThisForm);
  const [sent, setSent] = useState<MessageRecord>();
  const [reply, setReply] = useState<MessageRecord>();
  const [problem, setProblem] = useState<string>();
  const act = useAct();
  const opener = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!sent) return;
    // The button that had the focus is gone.
    opener.current?.focus();
    return live.listen((batch) => {
      const found = batch.find(
        ({ name, data }) =>
          name === 'message.received' && data.message.conversation === sent.conversation && payloadOf(data.message) !== undefined,
      );
      if (found) setReply(found.data.message as MessageRecord);
    });
  }, [sent]);

  const own = new Map(
    (numbers.data?.numbers ?? []).filter(({ account }) => account === null || account === flow.account).map((one) => [one.uuid, one]),
  );
  const phones = (conversations.data?.conversations ?? []).filter(({ conversation }) => own.has(conversation.number));
  const phone = phones.find(({ conversation }) => conversation.uuid === chosen) ?? phones[0];
  const first = flow.screens[0];
  const action: Action = {
    method: 'POST',
    path: `/conversations/${phone?.conversation.uuid}/messages`,
    payload: {
      operator: { id: 'console', name: 'Flows' },
      type: 'interactive',
      interactive: {
        type: 'flow',
        body: { text },
        action: {
          name: 'flow',
          parameters: {
            flow_id: flow.id,
            flow_cta: texts.openTheForm,
            flow_message_version: '3',
            mode: flow.status === 'DRAFT' ? 'draft' : 'published',
            flow_token: `console-${flow.id}`,
            ...(first !== undefined && { flow_action: 'navigate', flow_action_payload: { screen: first } }),
          },
        },
      },
    },
  };
  const open = async (): Promise<void> => {
    // Opened before the call, because browsers allow new tabs only as a response to a click.
    const tab = window.open('about:blank');
    try {
      const { url } = await admin<{ url: string }>('POST', `/messages/${sent!.uuid}/flow`);
      if (!tab) return setProblem(texts.theBrowserDidNotAllow);
      tab.opener = null;
      tab.location.href = url;
    } catch (error) {
      tab?.close();
      setProblem(reasonOf(error));
    }
  };
  const payload = reply && payloadOf(reply);
  return (
    <Sheet title={texts.sendToAPhone2(flow.name)} look="drawer" close={close}>
      {isChanged && <p class="callout">{texts.thePhoneGetsTheText}</p>}
      {!numbers.data || !conversations.data ? (
        <Loading />
      ) : phones.length === 0 ? (
        <p class="callout">{texts.noContactHasWrittenTo(flow.account, <Link href="/inbox">{texts.writeFromAPhoneOf}</Link>)}</p>
      ) : !sent ? (
        <form
          class="form"
          aria-label={texts.sendTheFlow}
          onSubmit={(event) => {
            event.preventDefault();
            void act.run<{ message: MessageRecord }>(action).then((result) => result && setSent(result.message));
          }}
        >
          <label class="field">
            <span>{texts.phone}</span>
            <select class="select" value={phone?.conversation.uuid} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
              {phones.map(({ conversation, contact }) => (
                <option key={conversation.uuid} value={conversation.uuid}>
                  {String(contact.fields.name ?? contact.id)} → {own.get(conversation.number)!.name}
                </option>
              ))}
            </select>
          </label>
          <Field label={texts.textOfTheMessage} value={text} set={setText} />
          <ActError error={act.error} />
          <div class="buttons">
            <button type="submit" class="button" {...controlOf(action, act.isBusy)}>
              {texts.send}
            </button>
            <CopyAs action={action} />
          </div>
        </form>
      ) : (
        <div class="flow-sent">
          <p class="callout ok" role="status">
            {texts.sent(<Link href={`/inbox/${sent.conversation}`}>{texts.showItInTheInbox}</Link>)}
          </p>
          <div class="buttons">
            <button ref={opener} type="button" class="button" onClick={() => void open()}>
              {texts.openTheFormAsThe}
            </button>
            <CopyAs action={{ method: 'POST', path: `/messages/${sent.uuid}/flow` }} />
          </div>
          <ActError error={problem} />
          <section aria-labelledby="payload">
            <h3 id="payload">{texts.payload}</h3>
            {payload === undefined ? (
              <p class="quiet">{texts.itAppearsHereWhenThe}</p>
            ) : (
              <>
                <p role="status">{texts.theContactSentTheForm}</p>
                <JsonView label={texts.payloadOfTheFlow} value={parsed(payload)} />
                <Link href={`/events?about=${reply!.uuid}`}>{texts.everythingAboutThisMessage}</Link>
              </>
            )}
          </section>
        </div>
      )}
    </Sheet>
  );
}

const payloadOf = ({ content }: MessageRecord): string | undefined =>
  (content.interactive as { nfm_reply?: { response_json?: string } } | undefined)?.nfm_reply?.response_json;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
