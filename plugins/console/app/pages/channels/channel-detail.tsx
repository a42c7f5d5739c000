import { Link, useSearchParams } from 'wouter-preact';
import { headlineOf, useRuns } from '../../components/conformance/runs.js';
import { CopyText } from '../../components/copy.js';
import { EndpointFacts } from '../../components/endpoint-health.js';
import { Draw } from '../../components/icons.js';
import { lazyPart } from '../../components/lazy-part.js';
import { ShownOnce } from '../../components/snippet.js';
import { Status } from '../../components/status.js';
import { Tabs } from '../../components/tabs.js';
import type { Endpoint } from '../../data/endpoints.js';
import { useQuery } from '../../data/query.js';
import type { ShownChannel, ShownWebhook } from '../../data/records.js';
import { Health } from './health.js';
import { Samples } from './samples.js';
import { Settings } from './settings.js';
import { Starter } from './starter.js';
import { texts } from './texts.js';

const Conformance = lazyPart(() => import('../../components/conformance/conformance.js'));

interface Props {
  readonly channel: ShownChannel;
  /** Of its connector; undefined if that was not called in the last day. */
  readonly endpoint: Endpoint | undefined;
  /** The path of the list. */
  readonly back: string;
  readonly reload: () => void;
  /** The secret of a channel that was just created. */
  readonly secret: string | undefined;
}

export function ChannelDetail({ channel, endpoint, back, reload, secret }: Props) {
  const { number } = channel;
  const [search, setSearch] = useSearchParams();
  // Platforms without the plugin webhooks have no such route; the connector then has its URL only.
  const webhooks = useQuery<{ webhooks: readonly ShownWebhook[] }>(`/webhooks?number=${number.uuid}`, ['webhook.', 'state.']);
  const runs = useRuns(number.uuid);
  const run = runs.data?.runs[0];
  const connector = channel.webhooks[0];
  const all = webhooks.data?.webhooks ?? [];
  const about = {
    channel,
    webhooks: all,
    connector: all.find(({ uuid }) => uuid === connector?.uuid),
    reload: () => {
      reload();
      webhooks.reload();
    },
  };
  return (
    <div class="detail channel">
      <div class="detail-head">
        <h2>
          <bdi>{number.name}</bdi>
        </h2>
        <Link href={back} class="button plain back">
          <Draw name="back" turns /> {texts.channels}
        </Link>
      </div>
      {secret !== undefined && (
        <ShownOnce text={secret} what={texts.secret}>
          <p class="quiet">{texts.theConnectorVerifies(<Link href={`/numbers/${number.uuid}`}>{texts.createOne}</Link>)}</p>
        </ShownOnce>
      )}
      <dl class="facts">
        <dt>{texts.endpoint}</dt>
        <dd>{connector ? <CopyText text={connector.url} label={texts.theEndpoint} /> : texts.noWebhookReceivesThe}</dd>
        <EndpointFacts endpoint={endpoint} />
        {run && (
          <>
            <dt>{texts.conformance}</dt>
            <dd>
              <Link href={`/channels/${number.uuid}?tab=conformance`}>
                <Status tone={headlineOf(run).tone}>{headlineOf(run).text}</Status>
              </Link>
            </dd>
          </>
        )}
        <dt>{texts.address}</dt>
        <dd>
          <CopyText text={number.address} label={texts.theAddress} />
        </dd>
        <dt>{texts.number}</dt>
        <dd>
          <CopyText text={number.uuid} label={texts.theUuidOfTheNumber} />
        </dd>
        {connector && (
          <>
            <dt>{texts.webhook}</dt>
            <dd>
              <CopyText text={connector.uuid} label={texts.theUuidOfTheWebhook} />
            </dd>
          </>
        )}
      </dl>
      <ul class="links" aria-label={texts.pagesAbout(number.name)}>
        <li>
          <Link href={`/inbox?number=${number.uuid}`}>{texts.inbox}</Link>
        </li>
        <li>
          <Link href={`/numbers/${number.uuid}`}>{texts.numberAndTokens}</Link>
        </li>
        {connector && (
          <>
            <li>
              <Link href={`/webhooks/${connector.uuid}`}>{texts.webhook}</Link>
            </li>
            <li>
              <Link href={`/deliveries?webhook=${connector.uuid}`}>{texts.deliveries}</Link>
            </li>
          </>
        )}
        <li>
          <Link href={`/calls?number=${number.uuid}`}>{texts.calls}</Link>
        </li>
      </ul>
      <Tabs
        label={texts.partsOfTheChannel}
        current={search.get('tab') ?? 'health'}
        select={(tab) => setSearch((before) => new URLSearchParams({ ...Object.fromEntries(before), tab }), { replace: true })}
        tabs={[
          { id: 'health', label: texts.health, content: () => <Health {...about} /> },
          { id: 'samples', label: texts.samples, content: () => <Samples channel={channel} /> },
          {
            id: 'conformance',
            label: texts.conformance,
            content: () =>
              connector ? (
                <Conformance target={{ kind: 'connector', subject: number.uuid, url: connector.url }} runs={runs} />
              ) : (
                <p>{texts.thereIsNoConnectorTo}</p>
              ),
          },
          { id: 'settings', label: texts.settings, content: () => <Settings {...about} /> },
          { id: 'starter', label: texts.starter, content: () => <Starter channel={channel} /> },
        ]}
      />
    </div>
  );
}
