import { locale } from '../../../../../core/web/language.js';
import { ActButton } from '../../components/act.js';
import { Time } from '../../components/time.js';
import { POSTHORN } from '../../data/own-command.js';
import { useQuery } from '../../data/query.js';
import { SettingsSection } from './settings-section.js';
import { texts } from './texts.js';

interface Cassette {
  readonly name: string;
  readonly bytes: number;
  readonly changed_at: string;
  readonly requests: number;
  readonly recorded: readonly { readonly kind: 'http' | 'model'; readonly title: string }[];
  readonly problem: string | null;
}

interface Cassettes {
  readonly folder: string;
  readonly cassettes: readonly Cassette[];
}

const sizes = new Intl.NumberFormat(locale);

/** The recordings of `posthorn test` in the folder of the sandbox. */
export function Cassettes() {
  const query = useQuery<Cassettes>('/cassettes', ['tests.', 'state.']);
  return (
    <SettingsSection query={query} lacks={texts.partCassettes}>
      {({ folder, cassettes }) => (
        <>
          <p>{texts.posthornTestPlaysHttp(POSTHORN, folder)}</p>
          {cassettes.length === 0 && <p class="quiet">{texts.thereIsNoCassetteYet}</p>}
          <ul class="cassettes">
            {cassettes.map((cassette) => (
              <Shown key={cassette.name} cassette={cassette} reload={query.reload} />
            ))}
          </ul>
        </>
      )}
    </SettingsSection>
  );
}

function Shown({ cassette, reload }: { cassette: Cassette; reload: () => void }) {
  const { name, bytes, changed_at: at, requests, recorded, problem } = cassette;
  return (
    <li class="card">
      <div class="head">
        <h2>
          <bdi class="mono">{name}</bdi>
        </h2>
        <ActButton
          action={{ method: 'DELETE', path: `/cassettes/${encodeURIComponent(name)}` }}
          look="button bad"
          announcement={texts.wasDeleted(name)}
          done={reload}
          confirm={{
            title: texts.deleteTheCassette(name),
            text: <p>{texts.itsTestsFailUntilThey}</p>,
            verb: texts.deleteTheCassette2,
          }}
        >
          {texts.delete}
          <span class="unseen"> {name}</span>
        </ActButton>
      </div>
      <p class="quiet figure">{texts.requestRequestsBytes(requests, sizes.format(bytes), <Time at={at} />)}</p>
      {problem !== null && (
        <p class="callout bad" dir="auto">
          {problem}
        </p>
      )}
      <details class="more">
        <summary>{texts.requests}</summary>
        <ol>
          {recorded.map(({ kind, title }, n) => (
            <li key={n}>
              <span class="quiet">{kind}</span> <bdi class="mono">{title}</bdi>
            </li>
          ))}
        </ol>
        {requests > recorded.length && <p class="quiet">{texts.andMore(requests - recorded.length)}</p>}
      </details>
    </li>
  );
}
