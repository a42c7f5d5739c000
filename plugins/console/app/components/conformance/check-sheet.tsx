import { Link } from 'wouter-preact';
import { Sheet } from '../../../../../core/web/sheet.js';
import { CallFailed } from '../../data/admin.js';
import { useQuery } from '../../data/query.js';
import { ActButton } from '../act.js';
import { type BodyBytes, Bytes } from '../bytes.js';
import { HeaderRows } from '../header-rows.js';
import { RecordLink } from '../record-link.js';
import { Failure, Loading, Status, toneOfHttp } from '../status.js';
import { duration, Time } from '../time.js';
import { type CheckResult, demandOf, type Run, repeatOf, type Target, wordOf } from './runs.js';
import { texts } from './texts.js';

interface ShownBody {
  readonly bytes: number;
  readonly text?: string;
  readonly base64?: string;
  readonly cut?: boolean;
}

type Headers = readonly (readonly string[])[];

interface ShownExchange {
  readonly by: 'run' | 'platform' | 'subject';
  readonly request: { readonly method: string; readonly url: string; readonly headers: Headers; readonly body: ShownBody };
  readonly response: { readonly status: number; readonly headers: Headers; readonly body: ShownBody } | null;
  readonly error?: string;
  readonly ms: number;
  readonly call?: string;
  readonly delivery?: string;
}

interface ShownCheck extends Omit<CheckResult, 'calls' | 'deliveries'> {
  readonly exchanges: readonly ShownExchange[];
  readonly calls: readonly {
    readonly id: string;
    readonly method: string;
    readonly path: string;
    readonly status: number;
    readonly error: string | null;
  }[];
}

interface Props {
  readonly target: Target;
  readonly run: Run;
  readonly id: string;
  readonly close: () => void;
  readonly started: () => void;
}

/** A check with what was sent and received, what was expected, and the fix. */
export function CheckSheet({ target, run, id, close, started }: Props) {
  // A check that runs again has another result afterwards.
  const at = run.checks.find((check) => check.id === id)?.at ?? '';
  const path = `/conform/runs/${run.id}/checks/${encodeURIComponent(id)}`;
  const { data, error, reload } = useQuery<{ check: ShownCheck }>(at === '' ? undefined : path, ['conform.ended']);
  const check = data?.check;
  return (
    <Sheet title={check ? `${id} ${check.title}` : id} look="drawer" close={close}>
      {check ? (
        <div class="conformance conformance-check">
          <Rule check={check} kind={target.kind} />
          {run.state !== 'running' && (
            <ActButton
              look={check.result === 'fail' ? 'button' : 'button outlined'}
              action={repeatOf(target, run, [id])}
              announcement={texts.theCheckHasStarted}
              done={started}
            >
              {texts.reRunThisCheck}
            </ActButton>
          )}
          <Evidence check={check} kind={target.kind} />
        </div>
      ) : at === '' ? (
        <p>{texts.thisRunHasNoResult(id)}</p>
      ) : error ? (
        <Failure error={error instanceof CallFailed && error.status === 404 ? { message: texts.theRunIsNoLonger } : error} retry={reload} />
      ) : (
        <Loading />
      )}
    </Sheet>
  );
}

function Rule({ check, kind }: { check: ShownCheck; kind: string }) {
  const { level, section, at, reason, expected, received, fix } = check;
  const { tone, word } = wordOf(check);
  return (
    <dl class="facts">
      <dt>{texts.result}</dt>
      <dd>
        <Status tone={tone}>{word}</Status> <span class="quiet">{texts.at}</span> <Time at={at} />
      </dd>
      <dt>{texts.rule}</dt>
      <dd>
        {texts.a(kind, level, demandOf(check.title))}
        <br />
        <span class="quiet">{texts.apiSpecification(texts.section(section))}</span>
      </dd>
      {reason !== undefined && (
        <>
          <dt>{texts.reason}</dt>
          <dd dir="auto">{reason}</dd>
        </>
      )}
      {expected !== undefined && (
        <>
          <dt>{texts.expected}</dt>
          <dd dir="auto">{expected}</dd>
        </>
      )}
      {received !== undefined && (
        <>
          <dt>{texts.received}</dt>
          <dd dir="auto">{received}</dd>
        </>
      )}
      {fix !== undefined && (
        <>
          <dt>{texts.fix}</dt>
          <dd>{fix}</dd>
        </>
      )}
    </dl>
  );
}

function Evidence({ check: { exchanges, calls, result }, kind }: { check: ShownCheck; kind: string }) {
  if (exchanges.length === 0 && calls.length === 0)
    return <p class="quiet">{result === 'skipped' ? texts.nothingWasSent : texts.theCheckSentNothing}</p>;
  const isDirect = exchanges.some(({ by, call }) => by === 'run' && call === undefined);
  return (
    <section aria-labelledby="evidence">
      <h3 id="evidence">{texts.evidence}</h3>
      {exchanges.map((exchange, at) => (
        <ExchangeView key={at} exchange={exchange} n={at + 1} kind={kind} isOpen={at === exchanges.length - 1 || exchanges.length <= 2} />
      ))}
      {isDirect && <p class="quiet">{texts.requestsOfTheRunGo}</p>}
      {calls.length > 0 && (
        <>
          <h4>{texts.otherCallsOfTheAbout(kind)}</h4>
          <ul class="conformance-calls">
            {calls.map(({ id, method, path, status, error }) => (
              <li key={id}>
                <Status tone={toneOfHttp(status)}>{status}</Status>{' '}
                <Link href={`/calls/${encodeURIComponent(id)}`}>
                  <bdi class="mono">
                    {method} {path}
                  </bdi>
                </Link>
                {error !== null && (
                  <small class="quiet" dir="auto">
                    {error}
                  </small>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

interface ExchangeProps {
  readonly exchange: ShownExchange;
  readonly n: number;
  readonly kind: string;
  readonly isOpen: boolean;
}

function ExchangeView({ exchange, n, kind, isOpen }: ExchangeProps) {
  const { by, request, response, error, ms, call, delivery } = exchange;
  const isDirect = by === 'run' && call === undefined;
  const way =
    by === 'subject'
      ? texts.theCallsThePlatform(kind)
      : by === 'platform'
        ? texts.thePlatformDeliversToThe(kind)
        : isDirect
          ? texts.theRunCallsThe(kind)
          : texts.theRunCallsThePlatform;
  return (
    <article class="card conformance-exchange" aria-label={`${n}: ${way}`}>
      <div class="head">
        <h4>
          {n}. {way}
        </h4>
        <span class="buttons">
          <Status tone={toneOfHttp(response?.status)}>{response?.status ?? texts.noResponse}</Status>
          <span class="quiet figure">{duration(ms)}</span>
        </span>
      </div>
      {delivery !== undefined && (
        <p>
          {texts.delivery} <RecordLink kind="delivery" id={delivery} />
        </p>
      )}
      {call !== undefined && (
        <p>
          {texts.call} <RecordLink kind="call" id={call} />
        </p>
      )}
      <details open={isOpen}>
        <summary>{texts.request}</summary>
        <div class="conformance-bytes">
          <p class="mono">
            {request.method} <bdi>{request.url}</bdi>
          </p>
          <HeaderTable list={request.headers} label={texts.requestHeaders} isOpen={isDirect} />
          <Bytes body={bytesOf(request.body)} label={texts.requestBody} />
        </div>
      </details>
      <details open={isOpen}>
        <summary>{texts.response}</summary>
        <div class="conformance-bytes">
          {response ? (
            <>
              <HeaderTable list={response.headers} label={texts.responseHeaders} isOpen={isDirect} />
              <Bytes body={bytesOf(response.body)} label={texts.responseBody} />
            </>
          ) : (
            <p class="callout bad" dir="auto">
              {error ?? texts.thereWasNoResponse}
            </p>
          )}
        </div>
      </details>
    </article>
  );
}

const bytesOf = ({ bytes, text, base64 = '', cut = false }: ShownBody): BodyBytes =>
  text === undefined ? { bytes, encoding: 'base64', content: base64, cut } : { bytes, encoding: 'utf8', content: text, cut };

const HeaderTable = ({ list, label, isOpen }: { list: Headers; label: string; isOpen: boolean }) =>
  list.length === 0 ? null : (
    <details open={isOpen} class="conformance-headers">
      <summary>
        {label} <span class="quiet">{list.length}</span>
      </summary>
      <table>
        <HeaderRows list={list} />
      </table>
    </details>
  );
