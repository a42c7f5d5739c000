import { ActButton } from '../../components/act.js';
import { Time } from '../../components/time.js';
import { POSTHORN } from '../../data/own-command.js';
import { useQuery } from '../../data/query.js';
import { SettingsSection } from './settings-section.js';

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

const sizes = new Intl.NumberFormat();

/** The recordings of `posthorn test` in the folder of the sandbox. */
export function Cassettes() {
  const query = useQuery<Cassettes>('/cassettes', ['tests.', 'state.']);
  return (
    <SettingsSection query={query} lacks="cassettes">
      {({ folder, cassettes }) => (
        <>
          <p>
            <code>posthorn test</code> plays HTTP requests and model replies from cassettes. <code>{POSTHORN} test --record=new</code>{' '}
            records what is missing. Credentials are never recorded. Folder: <bdi class="mono">{folder}/.posthorn/cassettes</bdi>
          </p>
          {cassettes.length === 0 && <p class="quiet">There is no cassette yet.</p>}
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
          announcement={`${name} was deleted`}
          done={reload}
          confirm={{
            title: `Delete the cassette ${name}`,
            text: <p>Its tests fail until they are recorded again with --record=new.</p>,
            verb: 'Delete the cassette',
          }}
        >
          Delete…<span class="unseen"> {name}</span>
        </ActButton>
      </div>
      <p class="quiet figure">
        {requests} {requests === 1 ? 'request' : 'requests'} · {sizes.format(bytes)} bytes · changed <Time at={at} />
      </p>
      {problem !== null && (
        <p class="callout bad" dir="auto">
          {problem}
        </p>
      )}
      <details class="more">
        <summary>Requests</summary>
        <ol>
          {recorded.map(({ kind, title }, n) => (
            <li key={n}>
              <span class="quiet">{kind}</span> <bdi class="mono">{title}</bdi>
            </li>
          ))}
        </ol>
        {requests > recorded.length && <p class="quiet">and {requests - recorded.length} more</p>}
      </details>
    </li>
  );
}
