import { useState } from 'preact/hooks';
import { Status } from '../../components/status.js';
import { texts } from './texts.js';

interface Difference {
  readonly kind: 'added' | 'removed' | 'changed';
  readonly of: string;
  readonly key: string;
  readonly fields: readonly { readonly name: string; readonly from: string | null; readonly to: string | null }[];
}

export interface Compared {
  readonly count: number;
  readonly differences: readonly Difference[];
}

const PAGE = 50;
const words = { added: ['ok', 'added'], removed: ['bad', 'removed'], changed: ['warn', 'changed'] } as const;

/** The differences between two states, record by record. */
export function Differences({ with: other, result: { count, differences } }: { with: string; result: Compared }) {
  const [shown, setShown] = useState(PAGE);
  return (
    <section class="part" aria-label={texts.differences}>
      <h2>
        {count === 0 ? texts.noDifferenceFrom : texts.from(count)}
        <bdi>{other}</bdi>
      </h2>
      <ul class="differences">
        {differences.slice(0, shown).map(({ kind, of, key, fields }) => (
          <li key={`${of} ${key}`}>
            <Status tone={words[kind][0]}>{words[kind][1]}</Status> <span class="mono">{of}</span> <bdi class="mono quiet">{key}</bdi>
            {fields.length > 0 && (
              <dl class="facts">
                {fields.map(({ name, from, to }) => (
                  <div key={name} class="fact">
                    <dt>{name}</dt>
                    <dd class="mono">
                      <del dir="auto">{from ?? texts.absent}</del> <span aria-hidden="true">→</span>{' '}
                      <ins dir="auto">{to ?? texts.absent}</ins>
                    </dd>
                  </div>
                ))}
              </dl>
            )}
          </li>
        ))}
      </ul>
      {differences.length > shown && (
        <button type="button" class="button outlined" onClick={() => setShown(shown + PAGE)}>
          {texts.showMore}
        </button>
      )}
      {count > differences.length && shown >= differences.length && <p class="quiet">{texts.theFirstDifferencesAre(differences.length)}</p>}
    </section>
  );
}
