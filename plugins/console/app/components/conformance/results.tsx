import { Link } from 'wouter-preact';
import { pathOf } from '../record-link.js';
import { Status } from '../status.js';
import { demandOf, failuresOf, type Row, type Run, rowsOf } from './runs.js';
import { texts } from './texts.js';

/** The failed checks: what was expected and received, the fix, and the records of each. */
export function Failures({ run, hrefOf }: { run: Run; hrefOf: (id: string) => string }) {
  const pending = new Set(run.state === 'running' ? run.remaining.map(({ id }) => id) : []);
  const failed = failuresOf(run).filter(({ id }) => !pending.has(id));
  if (failed.length === 0) return null;
  return (
    <section class="conformance-failures" aria-labelledby="conformance-failures">
      <h3 id="conformance-failures">{texts.failedChecks}</h3>
      <ul>
        {failed.map(({ id, level, title, section, expected = '', received = '', fix = '', deliveries, calls }) => (
          <li key={id} class={level === 'MUST' ? 'must' : ''}>
            <p class="conformance-title">
              <Status tone={level === 'MUST' ? 'bad' : 'warn'}>{id}</Status>{' '}
              <strong>{texts.demand(level === 'MUST', demandOf(title))}</strong>{' '}
              <small class="quiet">
                {level} · {texts.section(section)}
              </small>
            </p>
            <p dir="auto">{texts.expectedReceived(expected, received)}</p>
            <p>
              <span class="quiet">{texts.fix2}</span> {fix}
            </p>
            <ul class="conformance-links" aria-label={texts.recordsOf(id)}>
              <li>
                <Link href={hrefOf(id)}>
                  {texts.evidence}
                  <span class="unseen"> {texts.of(id)}</span>
                </Link>
              </li>
              <RecordLinks kind="delivery" ids={deliveries} of={id} />
              <RecordLinks kind="call" ids={calls} of={id} />
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Links to the first records; the evidence has all. */
const MAX_LINKS = 3;

const RecordLinks = ({ kind, ids, of }: { kind: 'delivery' | 'call'; ids: readonly string[]; of: string }) => (
  <>
    {ids.slice(0, MAX_LINKS).map((id, at) => (
      <li key={id}>
        <Link href={pathOf(kind, id)}>
          {kind === 'call' ? texts.call : texts.delivery}
          {ids.length > 1 && ` ${at + 1}`}
          <span class="unseen"> {texts.of2(of)}</span>
        </Link>
      </li>
    ))}
  </>
);

const VIEWS = { all: texts.all, fail: texts.failed, skipped: texts.skipped, pass: texts.passed } as const;
type View = keyof typeof VIEWS;

interface ResultsProps {
  readonly run: Run;
  readonly hrefOf: (id: string) => string;
  readonly shown: string;
  readonly show: (view: string | undefined) => void;
}

/** Every check with its result, by section of the API specification. */
export function Results({ run, hrefOf, shown, show }: ResultsProps) {
  const view = (shown in VIEWS ? shown : 'all') as View;
  const all = rowsOf(run);
  const resultOf = ({ check, word }: Row): string => ('result' in check && word !== 'waiting' && word !== 'running' ? check.result : word);
  const inView = (one: View): Row[] => (one === 'all' ? all : all.filter((row) => resultOf(row) === one));
  const rows = inView(view);
  const sections = grouped(rows);
  return (
    <section class="conformance-results" aria-labelledby="conformance-results">
      <div class="head">
        <h3 id="conformance-results">{texts.checks}</h3>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend */}
        <span class="toggles" role="group" aria-label={texts.resultsToShow}>
          {(Object.keys(VIEWS) as View[]).map((one) => (
            <button
              key={one}
              type="button"
              class="button plain"
              aria-pressed={view === one}
              onClick={() => show(one === 'all' ? undefined : one)}
            >
              {VIEWS[one]} <span class="figure">{inView(one).length}</span>
            </button>
          ))}
        </span>
      </div>
      {rows.length === 0 ? (
        <p class="quiet">{texts.noCheckHasThisResult}</p>
      ) : (
        <table class="conformance-table">
          <caption class="unseen">{texts.checksBySectionOfThe}</caption>
          <thead class="unseen">
            <tr>
              <th scope="col">{texts.check}</th>
              <th scope="col">{texts.level}</th>
              <th scope="col">{texts.result}</th>
              <th scope="col">{texts.rule}</th>
            </tr>
          </thead>
          {[...sections].map(([section, group]) => (
            <tbody key={section}>
              <tr>
                <th scope="rowgroup" colSpan={4} class="conformance-section">
                  {section}
                </th>
              </tr>
              {group.map((row) => (
                <Line key={row.check.id} row={row} href={hrefOf(row.check.id)} />
              ))}
            </tbody>
          ))}
        </table>
      )}
    </section>
  );
}

function Line({ row: { check, tone, word }, href }: { row: Row; href: string }) {
  const { id, level, title } = check;
  const reason = word === 'skipped' && 'reason' in check ? check.reason : undefined;
  const hasResult = 'result' in check && word !== 'waiting' && word !== 'running';
  return (
    <tr>
      <th scope="row">{hasResult ? <Link href={href}>{id}</Link> : id}</th>
      <td class="quiet">{level}</td>
      <td>
        <Status tone={tone}>{word}</Status>
      </td>
      <td>
        {title}
        {reason !== undefined && (
          <small class="quiet" dir="auto">
            {reason}
          </small>
        )}
      </td>
    </tr>
  );
}

function grouped(rows: readonly Row[]): Map<string, Row[]> {
  const sections = new Map<string, Row[]>();
  for (const row of rows) sections.set(row.check.section, [...(sections.get(row.check.section) ?? []), row]);
  return sections;
}
