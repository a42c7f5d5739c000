import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { ActForm, Field } from '../../components/act.js';
import { CopyText } from '../../components/copy.js';
import { Draw } from '../../components/icons.js';
import { Time } from '../../components/time.js';
import type { Endpoint } from '../../data/endpoints.js';
import type { NumberRecord } from '../../data/records.js';
import { PluginPanels } from '../../frame/plugin-panels.js';
import { isChannel } from '../inbox/contact-messages.js';
import { ConnectionOf } from './connection.js';
import { Features } from './features.js';
import { Permissions } from './permissions.js';
import { Tokens } from './tokens.js';

const KINDS: Readonly<Record<NumberRecord['kind'], string>> = {
  network: 'number of the network',
  sandbox: 'sandbox number',
  channel: 'channel',
};

interface Props {
  readonly number: NumberRecord;
  /** The service that the number is connected to; undefined if it was not called in the last day. */
  readonly endpoint: Endpoint | undefined;
  readonly query: string;
  readonly reload: () => void;
  readonly isNew: boolean;
}

export function NumberDetail({ number, endpoint, query, reload, isNew }: Props) {
  const { uuid, name, address, kind, type, account, created_at: createdAt } = number;
  const isConnector = isChannel(number);
  return (
    <div class="detail number">
      <div class="detail-head">
        <h2>
          <bdi>{name}</bdi>
        </h2>
        <Link href={`/numbers${query}`} class="button plain back">
          <Draw name="back" turns /> Numbers
        </Link>
      </div>
      {isNew && (
        <p class="callout ok" role="status">
          The number exists. Its clients need a token: create one below.
        </p>
      )}
      <dl class="facts">
        <dt>Kind</dt>
        <dd>
          {KINDS[kind]}
          {type !== kind && (
            <>
              {' '}
              of type <code>{type}</code>
            </>
          )}
        </dd>
        <dt>Address</dt>
        <dd>
          <CopyText text={address} label="the address" />
        </dd>
        <dt>uuid</dt>
        <dd>
          <CopyText text={uuid} label="the uuid" />
        </dd>
        <dt>Business account</dt>
        <dd>{account === null ? <span class="quiet">none</span> : <CopyText text={account} label="the business account" />}</dd>
        <dt>Created</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
      </dl>
      <ul class="links" aria-label={`Pages about ${name}`}>
        <li>
          <Link href={`/inbox?number=${uuid}`}>Inbox</Link>
        </li>
        {isConnector && (
          <li>
            <Link href={`/channels/${uuid}`}>Channel and connector</Link>
          </li>
        )}
        <li>
          <Link href={`/webhooks?number=${uuid}`}>Webhooks</Link>
        </li>
        <li>
          <Link href={`/deliveries?number=${uuid}`}>Deliveries</Link>
        </li>
        <li>
          <Link href={`/calls?number=${uuid}`}>Calls</Link>
        </li>
        <li>
          <Link href={`/events?text=${uuid}`}>Events</Link>
        </li>
      </ul>
      {kind === 'channel' && !isConnector && <ConnectionOf number={number} endpoint={endpoint} />}
      <Tokens number={number} />
      <Features number={number} reload={reload} />
      <Permissions number={number} />
      <PluginPanels kind="number" uuid={uuid} />
      <details class="more">
        <summary>Change name and business account</summary>
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
      label="Change name and business account"
      verb="Save"
      action={{ method: 'PATCH', path: `/numbers/${number.uuid}`, payload: { name, account: account === '' ? null : account } }}
      done={reload}
    >
      <Field label="Name" value={name} set={setName} />
      <Field
        label="Business account"
        value={account}
        set={setAccount}
        required={false}
        note="Numbers of one account share flows; empty for none"
      />
    </ActForm>
  );
}
