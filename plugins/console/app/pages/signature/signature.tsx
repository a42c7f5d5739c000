import { useId, useState } from 'preact/hooks';
import { Link, useLocation, useParams, useSearchParams } from 'wouter-preact';
import { locale } from '../../../../../core/web/language.js';
import { addSheet } from '../../components/page-sheet.js';
import { SignatureCheck } from '../../components/signature-check.js';
import { Empty, Failure, Loading, NotLoaded } from '../../components/status.js';
import { useQuery } from '../../data/query.js';
import type { ShownWebhook } from '../../data/records.js';
import deliveriesSheet from '../../styles/deliveries.page.css';
import type { DeliveryAnswer, ShownDelivery } from '../deliveries/records.js';
import { kindOfEvent, wordsOfState } from '../deliveries/words.js';
import { texts } from './texts.js';

addSheet(deliveriesSheet);

const RECENT = 30;

/** Explains the signature of a delivery, or of a body that the user enters. */
export default function Signature() {
  const named = useParams().id;
  const [params, setParams] = useSearchParams();
  const [, navigate] = useLocation();
  const id = named ?? params.get('delivery') ?? undefined;
  const field = useId();
  const deliveries = useQuery<{ deliveries: readonly ShownDelivery[] }>(`/deliveries?limit=${RECENT}`, ['delivery.', 'state.']);
  const webhooks = useQuery<{ webhooks: readonly ShownWebhook[] }>('/webhooks', ['webhook.', 'state.']);
  const error = deliveries.error ?? webhooks.error;
  const webhook = params.get('webhook') ?? undefined;
  const signed = deliveries.data?.deliveries.filter(({ sender }) => sender === undefined) ?? [];
  // Without a choice, the newest delivery that an endpoint refused is probably the reason of the visit.
  const chosen =
    id ??
    (webhook === undefined ? (signed.find(({ last_status: status }) => status === 401 || status === 403) ?? signed[0])?.uuid : undefined);
  const nameOf = (uuid: string): string => webhooks.data?.webhooks.find((one) => one.uuid === uuid)?.name ?? texts.deletedWebhook;
  return (
    <div class="content signature-page">
      <div class="head">
        <h1>{texts.signature}</h1>
      </div>
      <p class="lead">{texts.everyRequestToAWebhook}</p>
      {webhooks.error?.status === 404 && <NotLoaded plugin="webhooks" />}
      {error && webhooks.error?.status !== 404 && (
        <Failure
          error={error}
          retry={() => {
            deliveries.reload();
            webhooks.reload();
          }}
        />
      )}
      {!error && (!deliveries.data || !webhooks.data) && <Loading />}
      {deliveries.data && webhooks.data && webhooks.data.webhooks.length === 0 && signed.length === 0 && (
        <Empty title={texts.thereIsNoWebhookYet}>
          <p>{texts.eachWebhookHasASecret(<Link href="/webhooks?new=1">{texts.createAWebhook}</Link>)}</p>
        </Empty>
      )}
      {deliveries.data && webhooks.data && (webhooks.data.webhooks.length > 0 || signed.length > 0) && (
        <>
          <div class="field signed-choice">
            <label for={field}>{texts.signed}</label>
            <select
              id={field}
              class="select"
              value={chosen ?? `webhook ${webhook ?? webhooks.data.webhooks[0]?.uuid}`}
              onChange={({ currentTarget: { value } }) =>
                navigate(value.startsWith('webhook ') ? `/signature?webhook=${value.slice(8)}` : `/signature/${value}`)
              }
            >
              <optgroup label={texts.aDelivery}>
                {id !== undefined && !signed.some(({ uuid }) => uuid === id) && <option value={id}>{id}</option>}
                {signed.map((delivery) => (
                  <option key={delivery.uuid} value={delivery.uuid}>
                    {new Date(delivery.created_at).toLocaleTimeString(locale, { hourCycle: 'h23' })} {nameOf(delivery.webhook)}:{' '}
                    {kindOfEvent(delivery)}, {wordsOfState(delivery).text}
                  </option>
                ))}
              </optgroup>
              <optgroup label={texts.aBodyOfYourOwn}>
                {webhooks.data.webhooks.map(({ uuid, name, url }) => (
                  <option key={uuid} value={`webhook ${uuid}`}>
                    {name} ({url})
                  </option>
                ))}
              </optgroup>
            </select>
          </div>
          {chosen !== undefined ? (
            <OfDelivery key={chosen} uuid={chosen} />
          ) : webhook !== undefined && !webhooks.data.webhooks.some(({ uuid }) => uuid === webhook) ? (
            <Empty title={texts.thereIsNoSuchWebhook}>
              <p>{texts.itMayHaveBeenDeleted}</p>
              <Link href="/signature">{texts.chooseAnother}</Link>
            </Empty>
          ) : (
            <OwnBody
              webhook={webhook ?? webhooks.data.webhooks[0]!.uuid}
              body={params.get('body') ?? ''}
              keep={(body) => setParams({ ...(webhook !== undefined && { webhook }), body }, { replace: true })}
            />
          )}
        </>
      )}
    </div>
  );
}

function OfDelivery({ uuid }: { uuid: string }) {
  const { data, error, reload } = useQuery<DeliveryAnswer>(`/deliveries/${encodeURIComponent(uuid)}`, ['delivery.']);
  if (!data && error?.status === 404)
    return (
      <Empty title={texts.thereIsNoSuchDelivery}>
        <p>{texts.itMayHaveBeenIn}</p>
        <Link href="/signature">{texts.chooseAnother}</Link>
      </Empty>
    );
  if (!data) return error ? <Failure error={error} retry={reload} /> : <Loading />;
  const detail = data.details?.at(-1);
  const body = detail?.request.body;
  const isWhole = body && !body.cut && body.encoding === 'utf8';
  const sent = detail?.signatures[0]?.signature;
  return (
    <>
      <div class="head">
        <h2>
          {kindOfEvent(data.delivery)}: {wordsOfState(data.delivery).text}
        </h2>
        <Link href={`/deliveries/${uuid}?tab=response`}>{texts.responseOfTheEndpoint}</Link>
      </div>
      <SignatureCheck
        signed={isWhole ? { webhook: data.delivery.webhook, body: body.content } : { delivery: uuid }}
        {...(sent !== undefined && isWhole && { sent })}
      />
    </>
  );
}

/** The body is read from the field after a pause, so that not every key makes a call. */
const TYPING_MS = 300;

function OwnBody({ webhook, body, keep }: { webhook: string; body: string; keep: (body: string) => void }) {
  const id = useId();
  const [text, setText] = useState(body);
  const [timer, setTimer] = useState<ReturnType<typeof setTimeout> | undefined>(undefined);
  return (
    <>
      <h2>{texts.aBodyOfYourOwn2}</h2>
      <div class="field">
        <label for={id}>{texts.body}</label>
        <textarea
          id={id}
          class="area"
          value={text}
          spellcheck={false}
          dir="auto"
          onInput={({ currentTarget: { value } }) => {
            setText(value);
            clearTimeout(timer);
            setTimer(setTimeout(() => keep(value), TYPING_MS));
          }}
        />
        <small>{texts.theExactBytesThatYour}</small>
      </div>
      {body !== '' && <SignatureCheck signed={{ webhook, body }} />}
    </>
  );
}
