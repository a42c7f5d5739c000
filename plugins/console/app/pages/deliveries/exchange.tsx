import { failureText } from '../../../../../core/events/failure-text.js';
import { type BodyBytes, Bytes } from '../../components/bytes.js';
import { CopyText } from '../../components/copy.js';
import { HeaderRows } from '../../components/header-rows.js';
import { Empty, Status, toneOfHttp } from '../../components/status.js';
import { duration } from '../../components/time.js';
import type { AttemptRecord, DeliveryAnswer, DeliveryDetail } from './records.js';
import { texts } from './texts.js';

interface RequestViewProps {
  readonly shown: DeliveryAnswer;
  readonly attempt: AttemptRecord | undefined;
  readonly detail: DeliveryDetail | undefined;
}

/** The request of an attempt, byte by byte; the body as it is stored if the bytes are not kept. */
export function RequestView({ shown, attempt, detail }: RequestViewProps) {
  if (!detail) {
    return (
      <div class="exchange">
        <p class="callout">{whyNoBytes(shown, attempt)}</p>
        {shown.body === '' ? <p class="quiet">{texts.bodyNotStored}</p> : <Bytes body={storedBody(shown.body)} label={texts.requestBody} />}
      </div>
    );
  }
  const { url, request, fault } = detail;
  return (
    <div class="exchange">
      {fault && <p class="callout">{texts.faultActed(fault.rule, fault.kind)}</p>}
      <p>
        <CopyText text={url} label={texts.theUrl} />
      </p>
      <p class="first-line mono">{`POST ${pathOf(url)} HTTP/1.1`}</p>
      <Headers list={request.headers} label={texts.requestHeaders} />
      <Bytes body={request.body} label={texts.requestBody} />
    </div>
  );
}

/** The response to an attempt, byte by byte, and where the time went. */
export function ResponseView({ attempt, detail }: { attempt: AttemptRecord | undefined; detail: DeliveryDetail | undefined }) {
  if (!attempt && !detail)
    return (
      <Empty title={texts.noResponse}>
        <p>{texts.noAttempt}</p>
      </Empty>
    );
  const response = detail?.response;
  return (
    <div class="exchange">
      {attempt && attempt.result !== 'delivered' && (
        <p class="callout bad">
          {failureText({
            code: attempt.no_response ?? attempt.error_code ?? 'failed',
            status: attempt.response === null ? undefined : attempt.status,
          })}
        </p>
      )}
      {detail?.timing && <Timing timing={detail.timing} total={attempt?.duration_ms ?? undefined} />}
      {response ? (
        <>
          <p class="first-line mono">
            {'HTTP/1.1 '}
            <Status tone={toneOfHttp(response.status)}>{response.status}</Status>
          </p>
          <Headers list={response.headers} label={texts.responseHeaders} />
          <Bytes body={response.body} label={texts.responseBody} />
        </>
      ) : detail || attempt?.response == null ? (
        <Empty title={texts.noResponse}>
          <p>{texts.noResponseSent}</p>
        </Empty>
      ) : (
        <>
          <p class="quiet">{texts.responseIsCut}</p>
          <Headers list={Object.entries(attempt.response_headers)} label={texts.responseHeaders} />
          <Bytes body={storedBody(attempt.response)} label={texts.responseBody} />
        </>
      )}
    </div>
  );
}

const storedBody = (content: string): BodyBytes => ({
  bytes: new TextEncoder().encode(content).length,
  encoding: 'utf8',
  content,
  cut: false,
});

/** Why the bytes of a request are not known. */
function whyNoBytes({ details }: DeliveryAnswer, attempt: AttemptRecord | undefined): string {
  if (!attempt) return texts.bodyThatWillBeSent;
  if (!details) return texts.requestsNotRecorded;
  return texts.headersNotKept;
}

export function pathOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

const Headers = ({ list, label }: { list: readonly (readonly string[])[]; label: string }) => (
  <div class="table-scroll">
    <table class="headers">
      <caption class="unseen">{label}</caption>
      <HeaderRows list={list} />
    </table>
  </div>
);

const phases = {
  queue: texts.waitingForAConnection,
  dns: texts.nameLookup,
  connect: texts.tcpConnection,
  tls: texts.tlsHandshake,
  wait: texts.waitingForTheResponse,
  read: texts.readingTheResponse,
} as const;

function Timing({ timing, total }: { timing: NonNullable<DeliveryDetail['timing']>; total: number | undefined }) {
  const parts = (Object.keys(phases) as (keyof typeof phases)[]).flatMap((phase) => {
    const ms = timing[phase];
    return ms === null ? [] : [{ phase, ms }];
  });
  const sum = parts.reduce((all, { ms }) => all + ms, 0) || 1;
  return (
    <section class="timing" aria-label={texts.whereTheTimeWent}>
      <div class="timing-bar" aria-hidden="true">
        {parts.map(({ phase, ms }) => (
          <span key={phase} class={`phase-${phase}`} style={{ flexGrow: ms / sum }} />
        ))}
      </div>
      <ul>
        {parts.map(({ phase, ms }) => (
          <li key={phase}>
            <span class={`key phase-${phase}`} aria-hidden="true" /> {phases[phase]} <strong>{fine(ms)}</strong>
          </li>
        ))}
        {total !== undefined && <li>{texts.inAll(duration(total))}</li>}
      </ul>
    </section>
  );
}

const fine = (ms: number): string => (ms < 10 ? texts.ms(Math.round(ms * 10) / 10) : duration(ms));
