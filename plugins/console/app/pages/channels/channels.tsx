import { useState } from 'preact/hooks';
import { Link, useLocation, useParams, useSearchParams } from 'wouter-preact';
import { StateOfEndpoint, SuccessInRow } from '../../components/endpoint-health.js';
import { Draw } from '../../components/icons.js';
import { addSheet } from '../../components/page-sheet.js';
import { NoSuchRecord, RecordList } from '../../components/record-list.js';
import { Split } from '../../components/split.js';
import { Empty, Failure, Loading, NotLoaded } from '../../components/status.js';
import { useEndpoints } from '../../data/endpoints.js';
import { useQuery } from '../../data/query.js';
import type { ShownChannel } from '../../data/records.js';
import { useShortcuts } from '../../data/shortcuts.js';
import channelsSheet from '../../styles/channels.page.css';
import numbersSheet from '../../styles/numbers.page.css';
import { ChannelDetail } from './channel-detail.js';
import { ChannelForm, type CreatedChannel } from './channel-form.js';
import { texts } from './texts.js';

addSheet(channelsSheet);
addSheet(numbersSheet);

const NEW = 'new';

/** The channels, and of each the health of its connector, samples, settings and a starter. */
export default function Channels() {
  const { id } = useParams<{ id?: string }>();
  const [, navigate] = useLocation();
  const [search] = useSearchParams();
  const { data, error, reload } = useQuery<{ channels: readonly ShownChannel[] }>('/channels', ['number.', 'webhook.', 'state.']);
  const endpoints = useEndpoints();
  const [created, setCreated] = useState<CreatedChannel | undefined>(undefined);
  const text = search.get('text') ?? '';
  const query = text === '' ? '' : `?${new URLSearchParams({ text })}`;
  useShortcuts({ Escape: () => id !== undefined && navigate(`/channels${query}`) });
  if (!data)
    return (
      <div class="content">
        <h1>{texts.channels}</h1>
        {error?.status === 404 ? <NotLoaded plugin="channels" /> : error ? <Failure error={error} retry={reload} /> : <Loading />}
      </div>
    );
  const { channels } = data;
  const form = (
    <div class="detail">
      <div class="detail-head">
        <h2>{texts.newChannel}</h2>
        <Link href={`/channels${query}`} class="button plain back">
          <Draw name="back" turns /> {texts.channels}
        </Link>
      </div>
      <p>{texts.aChannelJoinsAnother}</p>
      <ChannelForm
        done={(made) => {
          setCreated(made);
          reload();
          navigate(`/channels/${made.number.uuid}${query}`);
        }}
      />
    </div>
  );
  const channel = channels.find(({ number }) => number.uuid === id);
  return (
    <Split
      label={texts.theListOfChannels}
      title={texts.channels}
      list={
        <RecordList
          noun="channel"
          items={channels}
          idOf={({ number }) => number.uuid}
          searchedText={({ number: { uuid, name, address }, webhooks }) =>
            `${uuid} ${name} ${address} ${webhooks.map(({ url }) => url).join(' ')}`
          }
          fields={texts.nameAddressOrEndpoint}
          selected={id}
          query={query}
          about={texts.aChannelJoinsAnother2}
          row={({ number, webhooks: [connector] }) => (
            <>
              <div>
                <bdi class="grow">
                  <strong>{number.name}</strong>
                </bdi>
                <SuccessInRow endpoint={connector && endpoints?.get(connector.uuid)} />
                <StateOfEndpoint endpoint={connector && endpoints?.get(connector.uuid)} />
              </div>
              <div>
                <small class="grow mono">{connector?.url ?? texts.noConnector}</small>
              </div>
            </>
          )}
        />
      }
      detail={
        id === NEW ? (
          form
        ) : channel ? (
          <ChannelDetail
            key={id}
            channel={channel}
            endpoint={channel.webhooks[0] && endpoints?.get(channel.webhooks[0].uuid)}
            back={`/channels${query}`}
            reload={reload}
            secret={created?.number.uuid === id ? created?.webhook.hmac_secret : undefined}
          />
        ) : id !== undefined ? (
          <NoSuchRecord noun="channel" back={`/channels${query}`} />
        ) : undefined
      }
      nothing={channels.length === 0 ? form : <Empty title={texts.selectAChannel}>{texts.itsConnectorSamplesAnd}</Empty>}
    />
  );
}
