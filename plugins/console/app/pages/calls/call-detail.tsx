import { useMemo, useRef } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { RecordedCall } from '#core';
import { number } from '../../../../../core/web/language.js';
import { CopyAs, CopyText } from '../../components/copy.js';
import { Draw } from '../../components/icons.js';
import { JsonView } from '../../components/json-view.js';
import { RecordLink } from '../../components/record-link.js';
import { Empty, Failure, Loading, Status, toneOfHttp } from '../../components/status.js';
import { duration, Time } from '../../components/time.js';
import { type Method, queryOf } from '../../data/admin.js';
import { useMarks } from '../../data/found-words.js';
import { useQuery } from '../../data/query.js';
import { markedBody } from './body-marks.js';
import { texts } from './detail-texts.js';
import { MarkedBody } from './marked-body.js';
import { withoutToken } from './without-token.js';

const FIRST_ERROR = 400;
/** How long before a call the explanation begins, so that it includes the call. */
const BEFORE_MS = 1_000;

type Body = RecordedCall['request']['body'];

/** A call with what was sent and answered; for a refused one, what was wrong and where. */
export default function CallDetail({ id, close }: { id: string; close: () => void }) {
  const { data, error, reload } = useQuery<{ call: RecordedCall }>(`/calls/${encodeURIComponent(id)}`);
  const marked = useRef<HTMLElement>(null);
  useMarks(marked);
  return (
    <article ref={marked} class="detail" aria-label={texts.call}>
      <button type="button" class="back button plain" onClick={close}>
        <Draw name="back" turns /> {texts.calls}
      </button>
      {data ? (
        <Call call={data.call} />
      ) : error?.status === 404 ? (
        <NotKept />
      ) : error ? (
        <Failure error={error} retry={reload} />
      ) : (
        <Loading />
      )}
    </article>
  );
}

function Call({ call }: { call: RecordedCall }) {
  const { id, at, method, path, route, number, status, ms, error, request, response } = call;
  const isRefused = status >= FIRST_ERROR;
  const body = useMemo(() => markedBody(call), [call]);
  const contact = contactOf(call);
  return (
    <>
      <header class="detail-head">
        <h2 class="call-title" dir="ltr">
          <Status tone={toneOfHttp(status)}>{status}</Status>{' '}
          <span class="mono">
            {method} {path}
          </span>
        </h2>
        <div class="buttons">
          {isRefused && (
            <Link class="button outlined" href={`/why?since=${encodeURIComponent(new Date(Date.parse(at) - BEFORE_MS).toISOString())}`}>
              {texts.why}
            </Link>
          )}
          {/* Without all of its body, it would be another call. */}
          {request.body.text !== null && !request.body.cut && <CopyAs isAlone label={texts.repeatAs} action={repeated(call)} />}
        </div>
      </header>
      {isRefused && (
        <div class="callout bad">
          <h3>{body.marks.length > 0 ? texts.mistakesInBody(body.marks.length) : texts.refused}</h3>
          <ul class="wrongs">
            {body.marks.length > 0
              ? body.marks.map(({ message, line, column }) => (
                  <li key={`${line} ${column} ${message}`}>
                    <bdi>{message}</bdi> <a href={`#body-line-${line}`}>{texts.lineColumn(line, column)}</a>
                  </li>
                ))
              : reasons(error, request.problems).map((reason) => (
                  <li key={reason}>
                    <bdi>{reason}</bdi>
                  </li>
                ))}
          </ul>
        </div>
      )}
      <dl class="facts">
        <dt>{texts.time}</dt>
        <dd>{texts.answeredIn(<Time at={at} />, duration(ms))}</dd>
        {route !== `${method} ${path}` && (
          <>
            <dt>{texts.route}</dt>
            <dd>{route === null ? texts.noRoute : <code>{route}</code>}</dd>
          </>
        )}
        <dt>{texts.number}</dt>
        <dd>
          {number ? (
            <RecordLink kind="number" id={number.uuid} shown={`${number.address} ${number.name}`} />
          ) : (
            texts.noNumber(withoutToken(call))
          )}
        </dd>
        <dt>{texts.requestId}</dt>
        <dd>
          <CopyText text={id} label={texts.theRequestId} />
        </dd>
        {contact !== undefined && (
          <>
            <dt>{texts.contact}</dt>
            <dd>
              <Link href={`/contacts${queryOf({ text: contact, number: number?.uuid })}`}>
                <bdi>{contact}</bdi>
              </Link>
            </dd>
          </>
        )}
      </dl>
      <section aria-labelledby="call-request">
        <div class="head">
          <h3 id="call-request">{texts.requestBody}</h3>
          {request.body.text !== null && request.body.text !== '' && (
            <CopyText text={body.lines.join('\n')} label={texts.theRequestBody} shown={texts.copy} />
          )}
        </div>
        <BodyNote body={request.body} isFormatted={!body.isAsSent} />
        {request.body.text !== null && request.body.text !== '' && <MarkedBody body={body} />}
      </section>
      <Headers title={texts.requestHeaders} headers={request.headers} />
      <section aria-labelledby="call-response">
        <div class="head">
          <h3 id="call-response">{texts.responseBody}</h3>
          {response.body.text !== null && response.body.text !== '' && (
            <CopyText text={response.body.text} label={texts.theResponseBody} shown={texts.copy} />
          )}
        </div>
        <BodyNote body={response.body} />
        <ResponseBody text={response.body.text} />
      </section>
      <Headers title={texts.responseHeaders} headers={response.headers} />
    </>
  );
}

function BodyNote({ body: { bytes, text, cut }, isFormatted = false }: { body: Body; isFormatted?: boolean }) {
  if (bytes === 0) return <p class="quiet">{texts.emptyBody}</p>;
  const size = bytes === null ? texts.ofUnknownSize : texts.bytes(number(bytes));
  if (text === null) return <p class="quiet">{texts.bodyNotRecorded(size)}</p>;
  return (
    <p class="quiet">
      {size}
      {cut && texts.cut}
      {isFormatted && texts.formatted}
    </p>
  );
}

function ResponseBody({ text }: { text: string | null }) {
  if (text === null || text === '') return null;
  try {
    return <JsonView value={JSON.parse(text)} label={texts.jsonOfTheResponse} />;
  } catch {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll it
      <pre dir="auto" tabIndex={0}>
        {text}
      </pre>
    );
  }
}

const Headers = ({ title, headers }: { title: string; headers: readonly (readonly string[])[] }) => (
  <details class="headers">
    <summary>
      {title} <span class="quiet">{headers.length}</span>
    </summary>
    <table>
      <thead class="unseen">
        <tr>
          <th scope="col">{texts.name}</th>
          <th scope="col">{texts.value}</th>
        </tr>
      </thead>
      <tbody>
        {headers.map(([name, value], at) => (
          <tr key={`${at} ${name}`}>
            <th scope="row" class="mono">
              {name}
            </th>
            <td class="mono" dir="auto">
              {value}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </details>
);

const NotKept = () => (
  <Empty title={texts.notKept}>
    <p>{texts.howManyAreKept}</p>
  </Empty>
);

/** The id by which a call names a contact, in its path or body. */
function contactOf({ path, request: { body } }: RecordedCall): string | undefined {
  const named = /^\/v1\/contacts\/([^/?]+)/.exec(path)?.[1];
  if (named !== undefined) return decoded(named);
  try {
    const { to, contact } = (JSON.parse(body.text ?? '') ?? {}) as Readonly<Record<string, unknown>>;
    const id = to ?? (contact as Readonly<Record<string, unknown>> | null | undefined)?.id;
    return typeof id === 'string' && id !== '' ? id : undefined;
  } catch {
    // Not JSON, so that it names no contact.
    return undefined;
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The call with its body and the token as a variable. Masked parts of its path stay masked. */
const repeated = ({ method, path, number, request: { body } }: RecordedCall) => ({
  method: method as Method,
  path,
  api: 'v1' as const,
  number: number?.uuid,
  ...(body.text && { text: body.text }),
});

/** The sentences in the error of a call: those of its problems, or those in the response. */
function reasons(error: string | null, problems: RecordedCall['request']['problems']): string[] {
  if (problems.length > 0) return problems.map(({ message }) => message);
  try {
    const read = JSON.parse(error ?? '') as unknown;
    const sentences = sentencesIn(read);
    if (sentences.length > 0) return sentences;
  } catch {
    // Text that is not JSON is shown as it is.
  }
  return [error ?? texts.noExplanation];
}

function sentencesIn(error: unknown): string[] {
  const all = Array.isArray(error) ? error : [error];
  return all.flatMap((one) => {
    const { details, message, title } = (one ?? {}) as Readonly<Record<string, unknown>>;
    const found = [details, message, title].find((text) => typeof text === 'string' && text !== '');
    return found === undefined ? [] : [String(found)];
  });
}
