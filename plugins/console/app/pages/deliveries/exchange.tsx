import { failureText } from '../../../../../core/events/failure-text.js';
import { type BodyBytes, Bytes } from '../../components/bytes.js';
import { CopyText } from '../../components/copy.js';
import { HeaderRows } from '../../components/header-rows.js';
import { Empty, Status, toneOfHttp } from '../../components/status.js';
import { duration } from '../../components/time.js';
import type { AttemptRecord, DeliveryAnswer, DeliveryDetail } from './records.js';

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
        {shown.body === '' ? (
          <p class="quiet">The body is no longer stored.</p>
        ) : (
          <Bytes body={storedBody(shown.body)} label="request body" />
        )}
      </div>
    );
  }
  const { url, request, fault } = detail;
  return (
    <div class="exchange">
      {fault && (
        <p class="callout">
          The fault rule <code>{fault.rule}</code> ({fault.kind}) acted on this attempt.
        </p>
      )}
      <p>
        <CopyText text={url} label="the URL" />
      </p>
      <p class="first-line mono">POST {pathOf(url)} HTTP/1.1</p>
      <Headers list={request.headers} label="Request headers, in the order in which they were sent" />
      <Bytes body={request.body} label="request body" />
    </div>
  );
}

/** The response to an attempt, byte by byte, and where the time went. */
export function ResponseView({ attempt, detail }: { attempt: AttemptRecord | undefined; detail: DeliveryDetail | undefined }) {
  if (!attempt && !detail)
    return (
      <Empty title="No response">
        <p>No attempt was made yet.</p>
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
            HTTP/1.1 <Status tone={toneOfHttp(response.status)}>{response.status}</Status>
          </p>
          <Headers list={response.headers} label="Response headers" />
          <Bytes body={response.body} label="response body" />
        </>
      ) : detail || attempt?.response == null ? (
        <Empty title="No response">
          <p>The endpoint sent none, so there are no headers and no body.</p>
        </Empty>
      ) : (
        <>
          <p class="quiet">The record has the first 4 kB of the response, and its headers; the bytes are no longer in memory.</p>
          <Headers list={Object.entries(attempt.response_headers)} label="Response headers" />
          <Bytes body={storedBody(attempt.response)} label="response body" />
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
  if (!attempt) return 'No attempt was made yet. This is the body that will be sent.';
  if (!details) return 'This platform keeps no requests: its option recording.deliveries is off. This is the body, as it is stored.';
  return 'The headers are no longer kept: only the newest requests since the last start are. This is the body, as it is stored.';
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
  queue: 'waiting for a connection',
  dns: 'name lookup',
  connect: 'TCP connection',
  tls: 'TLS handshake',
  wait: 'waiting for the response',
  read: 'reading the response',
} as const;

function Timing({ timing, total }: { timing: NonNullable<DeliveryDetail['timing']>; total: number | undefined }) {
  const parts = (Object.keys(phases) as (keyof typeof phases)[]).flatMap((phase) => {
    const ms = timing[phase];
    return ms === null ? [] : [{ phase, ms }];
  });
  const sum = parts.reduce((all, { ms }) => all + ms, 0) || 1;
  return (
    <section class="timing" aria-label="Where the time went">
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
        {total !== undefined && (
          <li>
            in all <strong>{duration(total)}</strong>
          </li>
        )}
      </ul>
    </section>
  );
}

const fine = (ms: number): string => (ms < 10 ? `${Math.round(ms * 10) / 10} ms` : duration(ms));
