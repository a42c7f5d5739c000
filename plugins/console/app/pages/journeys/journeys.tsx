import { useState } from 'preact/hooks';
import { Link, useLocation, useParams, useSearchParams } from 'wouter-preact';
import { ActButton } from '../../components/act.js';
import { addSheet } from '../../components/page-sheet.js';
import { Empty, Failure, Loading, NotLoaded, Status } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord } from '../../data/records.js';
import { useShortcuts } from '../../data/shortcuts.js';
import journeysSheet from '../../styles/journeys.page.css';
import { JourneyDetail } from './detail.js';
import { type Journey, stateOf } from './records.js';
import { texts } from './texts.js';
import { Triggers } from './triggers.js';

addSheet(journeysSheet);

const CHANGES = ['journey.changed', 'state.'];
const NEW = `# New journey

\`\`\`stack
trigger(on: "CATCH ALL")

card Hello, then: Answer do
  name = ask("Hello! What is your name?")
end

card Answer do
  text("Nice to meet you, @name.")
end
\`\`\`
`;

/** The journeys of a number with the order of their triggers, or one journey. */
export default function Journeys() {
  const { id } = useParams();
  return id === undefined ? <JourneyList /> : <JourneyDetail key={id} uuid={id} />;
}

function JourneyList() {
  const [params, setParams] = useSearchParams();
  const [, navigate] = useLocation();
  const numbers = useQuery<{ numbers: readonly NumberRecord[] }>('/numbers', ['number.', 'state.']);
  const all = numbers.data?.numbers ?? [];
  const number = params.get('number') ?? all[0]?.uuid;
  const { data, error, reload } = useQuery<{ journeys: readonly Journey[] }>(number && `/journeys?number=${number}`, CHANGES);
  const filter = params.get('text') ?? '';
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = (data?.journeys ?? []).filter(({ name, uuid: id }) => words.every((word) => `${name} ${id}`.toLowerCase().includes(word)));
  useShortcuts({ j: () => step(1), k: () => step(-1) });
  const [uuid] = useState(newUuid);
  const create = number !== undefined && (
    <ActButton
      look="button outlined"
      action={{ method: 'PUT', path: `/journeys/${uuid}/notebook?number=${number}`, payload: { notebook: NEW } }}
      announcement={texts.journeyCreated}
      done={() => navigate(`/journeys/${uuid}?tab=text`)}
    >
      {texts.newJourney}
    </ActButton>
  );
  return (
    <div class="content">
      <div class="head">
        <h1>{texts.journeys}</h1>
        {error?.status !== 404 && create}
      </div>
      {all.length > 1 && (
        <label class="journey-number">
          <span class="unseen">{texts.number}</span>
          <select class="select" value={number} onChange={({ currentTarget }) => setParams({ number: currentTarget.value })}>
            {all.map(({ uuid: one, name, address }) => (
              <option key={one} value={one}>
                {name} {address}
              </option>
            ))}
          </select>
        </label>
      )}
      {error && (error.status === 404 ? <NotLoaded plugin="journeys" /> : <Failure error={error} retry={reload} />)}
      {numbers.error && <Failure error={numbers.error} retry={numbers.reload} />}
      {!error && !numbers.error && !(numbers.data && (data || number === undefined)) && <Loading />}
      {numbers.data && number === undefined && (
        <Empty title={texts.noJourneysYet}>
          <p>{texts.needsNumber(<Link href="/numbers">{texts.createNumber}</Link>)}</p>
        </Empty>
      )}
      {data?.journeys.length === 0 && (
        <Empty title={texts.noJourneysYet}>
          <p>{texts.whatJourneyIs}</p>
        </Empty>
      )}
      {data && data.journeys.length > 0 && (
        <>
          <input
            class="input journey-number"
            type="search"
            data-filter
            aria-label={texts.filterJourneys}
            placeholder={texts.filterJourneys}
            value={filter}
            onInput={({ currentTarget: { value } }) =>
              setParams({ ...(params.has('number') && { number: number! }), ...(value !== '' && { text: value }) }, { replace: true })
            }
          />
          {shown.length === 0 && <p class="quiet">{texts.noneMatches}</p>}
          <ul class="journey-rows">
            {shown.map((journey) => (
              <li key={journey.uuid}>
                <Link href={`/journeys/${journey.uuid}`} data-row>
                  <bdi>{journey.name}</bdi>
                </Link>
                <Status tone={stateOf(journey)[0]}>{stateOf(journey)[1]}</Status>
                <small>{texts.changedAt(<Time at={journey.updated_at} />)}</small>
              </li>
            ))}
          </ul>
          <section>
            <h2>{texts.triggers}</h2>
            <Triggers number={number!} />
          </section>
        </>
      )}
    </div>
  );
}

/** Moves the focus between the links of the list; Enter follows them. */
function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('#page [data-row]')];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + by))]?.focus();
}

/** Also for pages over plain HTTP, whose browsers have no `randomUUID`. */
function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 15) | 64;
  bytes[8] = (bytes[8]! & 63) | 128;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
