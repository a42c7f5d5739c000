import { useState } from 'preact/hooks';
import { ActForm, Field } from '../../components/act.js';
import type { NumberRecord } from '../../data/records.js';

export interface CreatedChannel {
  readonly number: NumberRecord;
  readonly webhook: { readonly uuid: string; readonly hmac_secret: string };
}

/** Creates a channel, whose messages go to a connector. */
export function ChannelForm({
  done,
  endpoint: given = 'http://127.0.0.1:3000/',
}: {
  done: (made: CreatedChannel) => void;
  endpoint?: string;
}) {
  const [address, setAddress] = useState('web:chat');
  const [name, setName] = useState('Web chat');
  const [endpoint, setEndpoint] = useState(given);
  return (
    <ActForm<CreatedChannel>
      label="Create a channel"
      verb="Create channel"
      action={{ method: 'POST', path: '/channels', payload: { from_addr: address, name, endpoint } }}
      done={done}
    >
      <Field label="Address" value={address} set={setAddress} note="How the other service names you; any text, unique among channels" />
      <Field label="Name" value={name} set={setName} />
      <Field
        label="Endpoint of the connector"
        type="url"
        value={endpoint}
        set={setEndpoint}
        note="The URL that receives messages to contacts. It may start later, and you can change it."
      />
    </ActForm>
  );
}
