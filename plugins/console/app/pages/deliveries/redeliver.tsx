import { useId, useState } from 'preact/hooks';
import { Sheet } from '../../../../../core/web/sheet.js';
import { ActForm, Field } from '../../components/act.js';
import type { Action } from '../../components/copy.js';
import { announce } from '../../data/announce.js';
import type { DeliveryRecord } from './records.js';
import { texts } from './texts.js';

interface RedeliverProps {
  readonly delivery: DeliveryRecord;
  readonly body: string;
  /** The webhook's URL; undefined after the webhook was deleted. */
  readonly url: string | undefined;
  readonly close: () => void;
  readonly sent: (uuid: string) => void;
}

/** Sends copies of a delivery with another body, URL or signature. The original stays as it is. */
export function Redeliver({ delivery, body, url, close, sent }: RedeliverProps) {
  const id = useId();
  // A text area has only line feeds, so an unchanged body is not sent from it.
  const shown = body.replace(/\r\n?/g, '\n');
  const [text, setText] = useState(shown);
  const [to, setTo] = useState('');
  const [keeps, setKeeps] = useState(false);
  const [times, setTimes] = useState('1');
  const [noRetry, setNoRetry] = useState(false);
  const isEdited = text !== shown;
  const action: Action = {
    method: 'POST',
    path: `/deliveries/${delivery.uuid}/redeliver${noRetry ? '?no_retry=true' : ''}`,
    payload: {
      ...(isEdited && { body: text }),
      ...(to !== '' && { url: to }),
      ...(keeps && { keep_signature: true }),
      times: Number(times),
    },
    command: [
      `posthorn deliveries redeliver ${delivery.uuid}`,
      ...(isEdited ? ['--edit body.json'] : []),
      ...(to === '' ? [] : [`--to '${to}'`]),
      ...(keeps ? ['--keep-signature'] : []),
      `--times ${times}`,
    ].join(' '),
  };
  return (
    <Sheet title={texts.redeliverEdited} look="drawer" close={close}>
      <ActForm<{ replays: readonly string[] }>
        label={texts.redeliverEdited}
        action={action}
        verb={texts.send}
        done={({ replays }) => {
          announce(texts.copiesQueued(replays.length));
          sent(replays[0]!);
        }}
      >
        <div class="field">
          <label for={`${id}-body`}>{texts.editedBody}</label>
          <textarea
            id={`${id}-body`}
            class="area body-editor"
            data-first
            value={text}
            spellcheck={false}
            dir="auto"
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          <small>{isEdited ? texts.editedBytes(new TextEncoder().encode(text).length, jsonProblem(text)) : texts.unchangedBytes}</small>
        </div>
        <Field
          label={texts.url}
          type="url"
          value={to}
          set={setTo}
          required={false}
          {...(url !== undefined && { placeholder: url })}
          note={texts.emptyUrl}
        />
        <Field label={texts.times} type="number" value={times} set={setTimes} note={texts.upTo100Copies} />
        <label class="check">
          <input type="checkbox" checked={keeps} onChange={({ currentTarget }) => setKeeps(currentTarget.checked)} />
          {texts.keepSignature}
        </label>
        <label class="check">
          <input type="checkbox" checked={noRetry} onChange={({ currentTarget }) => setNoRetry(currentTarget.checked)} />
          {texts.oneAttemptOnly}
        </label>
      </ActForm>
    </Sheet>
  );
}

function jsonProblem(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch {
    return texts.itIsNotJson;
  }
}
