import { useState } from 'preact/hooks';
import { ActForm, Field } from '../../components/act.js';
import type { NumberRecord } from '../../data/records.js';
import { texts } from './texts.js';

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
  const [name, setName] = useState(texts.webChat);
  const [endpoint, setEndpoint] = useState(given);
  return (
    <ActForm<CreatedChannel>
      label={texts.createAChannel}
      verb={texts.createChannel}
      action={{ method: 'POST', path: '/channels', payload: { from_addr: address, name, endpoint } }}
      done={done}
    >
      <Field label={texts.address} value={address} set={setAddress} note={texts.howTheOtherServiceNames} />
      <Field label={texts.name} value={name} set={setName} />
      <Field label={texts.endpointOfTheConnector} type="url" value={endpoint} set={setEndpoint} note={texts.theUrlThatReceivesMessages} />
    </ActForm>
  );
}
