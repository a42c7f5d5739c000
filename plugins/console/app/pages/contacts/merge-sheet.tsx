import { useEffect, useState } from 'preact/hooks';
import type { ContactRecord } from '#core';
import { Sheet } from '../../../../../core/web/sheet.js';
import { ActForm, Field } from '../../components/act.js';
import { queryOf } from '../../data/admin.js';
import { announce } from '../../data/announce.js';
import { useQuery } from '../../data/query.js';
import { nameOf } from '../inbox/content.js';
import { texts } from './detail-texts.js';
import type { ListedContact } from './records.js';

const PAUSE_MS = 250;
/** One of them is the contact itself. */
const SHOWN = 9;

/** Finds another contact of the same number, and merges it into this one. */
export default function MergeSheet({ contact, close }: { contact: ContactRecord; close: () => void }) {
  const [text, setText] = useState('');
  const [asked, setAsked] = useState('');
  const [chosen, setChosen] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { data, error } = useQuery<{ contacts: readonly ListedContact[] }>(
    `/contacts${queryOf({ number: contact.number, text: asked, limit: SHOWN })}`,
  );
  const others = data?.contacts.filter((one) => one.contact.uuid !== contact.uuid) ?? [];
  // Another search may no longer show the chosen one; an empty id is refused.
  const picked = others.find((one) => one.contact.uuid === chosen)?.contact.uuid ?? '';
  return (
    <Sheet title={texts.mergeInto(nameOf(contact))} look="dialog" close={close}>
      <ActForm
        label={texts.mergeInto(nameOf(contact))}
        verb={texts.merge}
        action={{ method: 'POST', path: '/contacts/merge', payload: { contact: picked, into: contact.uuid } }}
        done={() => {
          announce(texts.merged);
          close();
        }}
      >
        <p>{texts.whatMergingDoes}</p>
        <Field label={texts.nameOrId} type="search" required={false} value={text} set={setText} />
        <fieldset class="field">
          <legend>{texts.contactToMerge}</legend>
          <div>
            {others.map((one) => (
              <label key={one.contact.uuid} class="check">
                <input
                  type="radio"
                  name="contact"
                  required
                  checked={picked === one.contact.uuid}
                  onChange={() => setChosen(one.contact.uuid)}
                />
                <span>
                  <bdi>{nameOf(one.contact)}</bdi> <small class="quiet mono">{one.ids.join(', ')}</small>
                </span>
              </label>
            ))}
          </div>
          {data && others.length === 0 && <p class="quiet">{texts.noOtherContact}</p>}
          {error && <p role="alert">{error.message}</p>}
        </fieldset>
      </ActForm>
    </Sheet>
  );
}
