import { ActError, useAct } from '../../components/act.js';
import { Time } from '../../components/time.js';
import { ToolAction } from '../../components/tool-action.js';
import { texts } from './detail-texts.js';
import type { ShownContact } from './records.js';

/** The contacts that were merged into one, each with the button that undoes it. */
export function Merges({ shown: { merges } }: { shown: ShownContact }) {
  const act = useAct();
  if (merges.length === 0) return null;
  return (
    <section aria-labelledby="contact-merges">
      <h3 id="contact-merges">{texts.mergedContacts}</h3>
      <ul class="contact-messages">
        {merges.map(({ contact, id, merged_at: at, expires_at: until }) => (
          <li key={contact}>
            <span class="grow">
              <bdi class="mono">{id}</bdi> <small class="quiet">{texts.mergedUntil(<Time at={at} />, <Time at={until} />)}</small>
            </span>
            <ToolAction
              act={act}
              action={{ method: 'POST', path: '/contacts/split', payload: { contact } }}
              label={texts.split}
              announcement={texts.wasSplit}
            />
          </li>
        ))}
      </ul>
      <ActError error={act.error} />
    </section>
  );
}
