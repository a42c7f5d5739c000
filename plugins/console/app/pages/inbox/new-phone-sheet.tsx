import { useState } from 'preact/hooks';
import type { NumberRecord } from '#core';
import { Sheet } from '../../../../../core/web/sheet.js';
import { CopyAs } from '../../components/copy.js';
import { reasonOf } from '../../data/admin.js';
import { controlOf } from '../../data/operator.js';
import { actionOf, isChannel, isPlayable, post, postingOf } from './contact-messages.js';
import { texts } from './dialog-texts.js';

interface NewPhoneSheetProps {
  readonly numbers: readonly NumberRecord[];
  /** The ids of known contacts, so that a new one gets another. */
  readonly taken: readonly string[];
  readonly close: () => void;
  readonly opened: (conversation: string) => void;
}

/** The phone of a new contact: its address, its name, and its first message, which begins the conversation. */
export default function NewPhoneSheet({ numbers, taken, close, opened }: NewPhoneSheetProps) {
  const playable = numbers.filter(isPlayable);
  const [uuid, setUuid] = useState(playable[0]?.uuid);
  const [address, setAddress] = useState(freeAddress(taken));
  const [name, setName] = useState('Sam');
  const [text, setText] = useState('hi');
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);
  const number = playable.find((one) => one.uuid === uuid);
  if (!number)
    return (
      <Sheet title={texts.newPhone} close={close}>
        <p>{texts.thereIsNoNumberTo}</p>
      </Sheet>
    );
  const posting = postingOf(number, { id: address, address, name, isNew: true }, { kind: 'text', body: text });
  const submit = async (): Promise<void> => {
    setSending(true);
    setProblem(undefined);
    try {
      opened((await post(posting)).conversation);
    } catch (error) {
      setProblem(reasonOf(error));
      setSending(false);
    }
  };
  return (
    <Sheet title={texts.newPhone} close={close}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <label class="field">
          <span>{texts.writesTo}</span>
          <select class="select" value={uuid} onChange={({ currentTarget }) => setUuid(currentTarget.value)}>
            {playable.map((one) => (
              <option key={one.uuid} value={one.uuid}>
                {one.name} · {one.address} {isChannel(one) ? texts.channel : ''}
              </option>
            ))}
          </select>
          {isChannel(number) && <small>{texts.postedAsTheConnectorOf}</small>}
        </label>
        <label class="field">
          <span>{texts.addressOfTheContact}</span>
          <input class="input" value={address} onInput={({ currentTarget }) => setAddress(currentTarget.value)} />
          <small>{isChannel(number) ? texts.anyTextThatTheConnector : texts.anInternationalPhoneNumber}</small>
        </label>
        <label class="field">
          <span>{texts.name}</span>
          <input class="input" dir="auto" value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
        </label>
        <label class="field">
          <span>{texts.firstMessage}</span>
          <textarea
            class="input"
            rows={2}
            dir="auto"
            data-first
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        {problem !== undefined && (
          <p class="problem" role="alert" dir="auto">
            {problem}
          </p>
        )}
        <div class="buttons">
          <button type="submit" class="button" {...controlOf(actionOf(posting), isSending)}>
            {texts.send}
          </button>
          <CopyAs action={actionOf(posting)} />
        </div>
      </form>
    </Sheet>
  );
}

/** A phone number that no known contact has. */
function freeAddress(taken: readonly string[]): string {
  const known = new Set(taken.map((id) => id.replace(/^\+/, '')));
  let number = 27611111111;
  while (known.has(String(number))) number++;
  return `+${number}`;
}
