import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from './card-texts.js';

/** A new card that something is to lead to. */
export interface NewCard {
  readonly name: string;
  readonly make: (name: string, text: string) => Promise<boolean | undefined>;
}

export function NewCardForm({ name: proposed, make, close }: NewCard & { readonly close: () => void }) {
  const [name, setName] = useState(proposed);
  const [text, setText] = useState('');
  const first = useRef<HTMLInputElement>(null);
  // After the menu that opened it has given the focus back.
  useEffect(() => {
    const timer = setTimeout(() => first.current?.select(), 50);
    return () => clearTimeout(timer);
  }, []);
  return (
    <form
      class="card-new"
      aria-label={texts.newCard}
      onSubmit={async (event) => {
        event.preventDefault();
        if (await make(name.trim(), text)) close();
      }}
    >
      <div class="field">
        <label for="card-name">{texts.nameOfNewCard}</label>
        <input ref={first} id="card-name" class="input" value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
      </div>
      <div class="field">
        <label for="card-text">{texts.itsText}</label>
        <textarea id="card-text" class="area" rows={2} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </div>
      <div class="buttons">
        <button type="submit" class="button">
          {texts.addCard}
        </button>
        <button type="button" class="button outlined" onClick={close}>
          {texts.notNow}
        </button>
      </div>
    </form>
  );
}
