import { useState } from 'preact/hooks';
import { Sheet } from '../../../../../core/web/sheet.js';
import { type Action, CopyAs } from '../../components/copy.js';
import { controlOf } from '../../data/operator.js';
import type { Draft } from './contact-messages.js';
import { texts } from './dialog-texts.js';

interface ContentSheetProps {
  readonly kind: 'location' | 'contacts';
  readonly close: () => void;
  readonly actionFor: (draft: Draft) => Action;
  readonly send: (draft: Draft) => Promise<void>;
}

/** The fields of a location or a contact card that a contact sends. */
export default function ContentSheet({ kind, close, actionFor, send }: ContentSheetProps) {
  const isLocation = kind === 'location';
  const [first, setFirst] = useState(isLocation ? '-33.9249' : '');
  const [second, setSecond] = useState(isLocation ? '18.4241' : '');
  const [name, setName] = useState('');
  const draft: Draft = isLocation
    ? { kind: 'location', latitude: Number(first), longitude: Number(second), name }
    : { kind: 'contacts', name: first, phone: second };
  return (
    <Sheet title={isLocation ? texts.sendALocation : texts.sendAContactCard} close={close}>
      {/* A dialog is in the form of the composer, so it has no form of its own. */}
      <div class="form">
        <label class="field">
          <span>{isLocation ? texts.latitude : texts.name}</span>
          <input
            class="input"
            data-first
            dir="auto"
            value={first}
            inputMode={isLocation ? 'decimal' : 'text'}
            onInput={({ currentTarget }) => setFirst(currentTarget.value)}
          />
        </label>
        <label class="field">
          <span>{isLocation ? texts.longitude : texts.phone}</span>
          <input
            class="input"
            value={second}
            inputMode={isLocation ? 'decimal' : 'tel'}
            onInput={({ currentTarget }) => setSecond(currentTarget.value)}
          />
        </label>
        {isLocation && (
          <label class="field">
            <span>{texts.nameOfThePlaceIf}</span>
            <input class="input" dir="auto" value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
          </label>
        )}
        <div class="buttons">
          <button
            type="button"
            class="button"
            {...controlOf(actionFor(draft), first.trim() === '' || second.trim() === '')}
            onClick={() => void send(draft)}
          >
            {texts.send}
          </button>
          <CopyAs action={actionFor(draft)} />
        </div>
      </div>
    </Sheet>
  );
}
