import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { ContactRecord } from '#core';
import { Sheet } from '../../../../../core/web/sheet.js';
import { ActForm, Field } from '../../components/act.js';
import { announce } from '../../data/announce.js';
import { controlOf } from '../../data/operator.js';
import { texts } from './detail-texts.js';

type Value = ContactRecord['fields'][string];

/** The fields of a contact, which journeys and integrations read, and a dialog that sets one. */
export function Fields({ contact }: { contact: ContactRecord }) {
  const [isOpen, setOpen] = useState(false);
  const known = Object.entries(contact.fields).filter(([, value]) => value !== null);
  const empty = Object.entries(contact.fields).flatMap(([key, value]) => (value === null ? [key] : []));
  return (
    <section aria-labelledby="contact-fields">
      <div class="head">
        <h3 id="contact-fields">{texts.fields}</h3>
        <button
          type="button"
          class="button outlined"
          {...controlOf({ method: 'PATCH', path: `/contacts/${contact.uuid}` })}
          onClick={() => setOpen(true)}
        >
          {texts.openSetField}
        </button>
      </div>
      <dl class="facts">
        {known.map(([key, value]) => (
          <Fragment key={key}>
            <dt class="mono">{key}</dt>
            <dd dir="auto">{shown(value)}</dd>
          </Fragment>
        ))}
      </dl>
      {empty.length > 0 && (
        <p class="quiet">
          {texts.empty} <bdi class="mono">{empty.join(', ')}</bdi>
        </p>
      )}
      {isOpen && <FieldSheet contact={contact} close={() => setOpen(false)} />}
    </section>
  );
}

const shown = (value: Value): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The value of a text: JSON if it is a number, a boolean, a list, an object or a text in quotes; null if it is empty. */
function fieldValue(text: string): Value {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text) as Value;
  } catch {
    return text;
  }
}

function FieldSheet({ contact: { uuid }, close }: { contact: ContactRecord; close: () => void }) {
  const [name, setName] = useState('');
  const [text, setText] = useState('');
  return (
    <Sheet title={texts.setAField} look="dialog" close={close}>
      <ActForm
        label={texts.setAField}
        verb={texts.setField}
        action={{ method: 'PATCH', path: `/contacts/${uuid}`, payload: { fields: { [name.trim()]: fieldValue(text) } } }}
        done={() => {
          announce(texts.fieldIsSet(name));
          close();
        }}
      >
        <Field label={texts.field} value={name} set={setName} />
        <Field label={texts.value} value={text} set={setText} required={false} note={texts.howValuesAreRead} />
      </ActForm>
    </Sheet>
  );
}
