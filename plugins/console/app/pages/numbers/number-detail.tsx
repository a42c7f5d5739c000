import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { ActForm, Field } from '../../components/act.js';
import { CopyText } from '../../components/copy.js';
import { Draw } from '../../components/icons.js';
import { Time } from '../../components/time.js';
import type { Endpoint } from '../../data/endpoints.js';
import type { Connection, NumberRecord } from '../../data/records.js';
import { PluginPanels } from '../../frame/plugin-panels.js';
import { isChannel } from '../inbox/contact-messages.js';
import { CloudConnection, ConnectionOf } from './connection.js';
import { Features } from './features.js';
import { Permissions } from './permissions.js';
import { texts } from './texts.js';
import { Tokens } from './tokens.js';

const KINDS: Readonly<Record<NumberRecord['kind'], string>> = {
  network: texts.numberOfTheNetwork,
  sandbox: texts.aSandboxNumber,
  channel: texts.channel,
};

/** The type of numbers on the Cloud API. */
export const CLOUD = 'cloud_api';

const TYPES: Readonly<Record<string, string>> = { channel_http_api: texts.servedByAConnector, [CLOUD]: texts.onTheCloudApi };

interface Props {
  readonly number: NumberRecord;
  /** Why a number on the Cloud API sends nothing. */
  readonly stopped: Connection['stopped'];
  /** The service that the number is connected to; undefined if it was not called in the last day. */
  readonly endpoint: Endpoint | undefined;
  readonly query: string;
  readonly reload: () => void;
  readonly isNew: boolean;
}

export function NumberDetail({ number, stopped, endpoint, query, reload, isNew }: Props) {
  const { uuid, name, address, kind, type, account, created_at: createdAt } = number;
  const isConnector = isChannel(number);
  return (
    <div class="detail number">
      <div class="detail-head">
        <h2>
          <bdi>{name}</bdi>
        </h2>
        <Link href={`/numbers${query}`} class="button plain back">
          <Draw name="back" turns /> {texts.numbers}
        </Link>
      </div>
      {isNew && (
        <p class="callout ok" role="status">
          {texts.theNumberExistsItsClients}
        </p>
      )}
      <dl class="facts">
        <dt>{texts.kind}</dt>
        <dd>
          {KINDS[kind]}
          {type !== kind && <span title={type}> {TYPES[type] ?? texts.ofType(type.replaceAll('_', ' '))}</span>}
        </dd>
        <dt>{texts.address}</dt>
        <dd>
          <CopyText text={address} label={texts.theAddress} />
        </dd>
        <dt>{texts.uuid}</dt>
        <dd>
          <CopyText text={uuid} label={texts.theUuid} />
        </dd>
        <dt>{texts.businessAccount}</dt>
        <dd>{account === null ? <span class="quiet">{texts.none}</span> : <CopyText text={account} label={texts.theBusinessAccount} />}</dd>
        <dt>{texts.created}</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
      </dl>
      <ul class="links" aria-label={texts.pagesAbout(name)}>
        <li>
          <Link href={`/inbox?number=${uuid}`}>{texts.inbox}</Link>
        </li>
        {isConnector && (
          <li>
            <Link href={`/channels/${uuid}`}>{texts.channelAndConnector}</Link>
          </li>
        )}
        <li>
          <Link href={`/webhooks?number=${uuid}`}>{texts.webhooks}</Link>
        </li>
        <li>
          <Link href={`/deliveries?number=${uuid}`}>{texts.deliveries}</Link>
        </li>
        <li>
          <Link href={`/calls?number=${uuid}`}>{texts.calls}</Link>
        </li>
        <li>
          <Link href={`/events?text=${uuid}`}>{texts.events}</Link>
        </li>
      </ul>
      {kind === 'channel' && !isConnector && <ConnectionOf number={number} endpoint={endpoint} />}
      {type === CLOUD && <CloudConnection {...{ number, endpoint, stopped, reload }} />}
      <Tokens number={number} />
      <Features number={number} reload={reload} />
      <Permissions number={number} />
      <PluginPanels kind="number" uuid={uuid} />
      <details class="more">
        <summary>{texts.changeNameAndBusiness}</summary>
        <Rename number={number} reload={reload} />
      </details>
    </div>
  );
}

function Rename({ number, reload }: { number: NumberRecord; reload: () => void }) {
  const [name, setName] = useState(number.name);
  const [account, setAccount] = useState(number.account ?? '');
  return (
    <ActForm
      label={texts.changeNameAndBusiness}
      verb={texts.save}
      action={{ method: 'PATCH', path: `/numbers/${number.uuid}`, payload: { name, account: account === '' ? null : account } }}
      done={reload}
    >
      <Field label={texts.name} value={name} set={setName} />
      <Field label={texts.businessAccount} value={account} set={setAccount} required={false} note={texts.numbersOfOneAccountShare} />
    </ActForm>
  );
}
