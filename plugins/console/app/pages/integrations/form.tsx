import { useId, useState } from 'preact/hooks';
import { ActForm, Field } from '../../components/act.js';
import type { Action } from '../../components/copy.js';
import type { NumberRecord } from '../../data/records.js';
import type { Integration } from './records.js';
import { texts } from './texts.js';

interface IntegrationFormProps {
  /** Undefined creates an integration. */
  readonly integration?: Integration;
  readonly numbers: readonly NumberRecord[];
  readonly done: (saved: { readonly integration: Integration; readonly hmac_secret?: string }) => void;
}

const schemes = ['none', 'Bearer', 'Token'] as const;

/** Creates or changes an integration. */
export function IntegrationForm({ integration, numbers, done }: IntegrationFormProps) {
  const id = useId();
  const [number, setNumber] = useState(numbers[0]?.uuid ?? '');
  const [name, setName] = useState(integration?.name ?? '');
  const [url, setUrl] = useState(integration?.url ?? '');
  const [scheme, setScheme] = useState<(typeof schemes)[number]>(integration?.authorization ?? 'none');
  const [token, setToken] = useState('');
  const authorization = scheme === 'none' ? null : scheme;
  const about = { name, url, authorization, ...(token !== '' && authorization !== null && { token }) };
  const action: Action = integration
    ? { method: 'PATCH', path: `/integrations/${integration.uuid}`, payload: about }
    : { method: 'POST', path: '/integrations', payload: { number, ...about } };
  return (
    <ActForm<{ integration: Integration; hmac_secret?: string }>
      label={integration ? texts.editTheIntegration : texts.newIntegration}
      verb={integration ? texts.save : texts.createIntegration}
      action={action}
      done={done}
    >
      {!integration && (
        <div class="field">
          <label for={`${id}-number`}>{texts.number}</label>
          <select id={`${id}-number`} class="select" value={number} onChange={({ currentTarget }) => setNumber(currentTarget.value)}>
            {numbers.map((one) => (
              <option key={one.uuid} value={one.uuid}>
                {one.name} {one.address}
              </option>
            ))}
          </select>
        </div>
      )}
      <Field label={texts.name} value={name} set={setName} placeholder={texts.libraryDesk} />
      <Field
        label={texts.url}
        type="url"
        value={url}
        set={setUrl}
        placeholder="http://127.0.0.1:3000/context"
        note={texts.theHandshakeIsMadeAt}
      />
      <div class="field">
        <label for={`${id}-scheme`}>{texts.authorizationOfTheCalls}</label>
        <select
          id={`${id}-scheme`}
          class="select"
          value={scheme}
          onChange={({ currentTarget }) => setScheme(currentTarget.value as (typeof schemes)[number])}
        >
          <option value="none">{texts.noneOnlyTheSignature}</option>
          <option value="Bearer">{texts.bearerAndAnApiToken}</option>
          <option value="Token">{texts.tokenAndAnApiToken}</option>
        </select>
      </div>
      {scheme !== 'none' && (
        <Field
          label={texts.apiToken}
          type="password"
          value={token}
          set={setToken}
          required={integration?.authorization === null || !integration}
          note={integration?.authorization ? texts.emptyKeepsTheCurrentToken : texts.itIsNeverShownAgain}
        />
      )}
    </ActForm>
  );
}
