import { useState } from 'preact/hooks';
import { ActError } from '../../../components/act.js';
import { admin, reasonOf } from '../../../data/admin.js';
import { useQuery } from '../../../data/query.js';
import type { Connection, Recording } from './records.js';
import type { Setup } from './setup.js';
import type { Simulator } from './simulation.js';
import { JsonArea } from './start-form.js';
import { texts } from './texts.js';

/** Which model the AI agents of the simulation talk to: that of their connection, a script, or recorded replies. */
export function ModelForm({ simulator: { setup }, number, show }: { simulator: Simulator; number: string; show: (tab: string) => void }) {
  const connections = useQuery<{ ai_connections: readonly Connection[] }>(`/ai-connections?number=${number}`).data?.ai_connections ?? [];
  const [error, setError] = useState<string>();
  const { model, rules, recordings } = setup.value;
  const change = (part: Partial<Setup>): void => {
    setup.value = { ...setup.value, ...part };
  };
  const load = async (uuid: string): Promise<void> => {
    setError(undefined);
    try {
      const found = await admin<{ recordings: readonly Recording[] }>('GET', `/ai-connections/${uuid}/recordings`);
      change({ recordings: found.recordings });
    } catch (failure) {
      setError(reasonOf(failure));
    }
  };
  const choice = (value: Setup['model'], words: string) => (
    <label class="check">
      <input type="radio" name="model" checked={model === value} onChange={() => change({ model: value })} /> {words}
    </label>
  );
  return (
    <div class="sim-forms">
      <fieldset class="sim-choice">
        <legend>{texts.aiAgentsTalkTo}</legend>
        {choice('connection', texts.modelOfConnection)}
        {choice('script', texts.aScript)}
        {choice('recordings', texts.recordedReplies)}
      </fieldset>
      {model === 'connection' && (
        <ul class="links">
          {connections.map(({ uuid, name, vendor, model: id, has_token }) => (
            <li key={uuid}>
              <bdi>{name}</bdi> <span class="quiet">{[vendor, id, has_token && texts.hasAToken].filter(Boolean).join(' · ')}</span>
            </li>
          ))}
          {connections.length === 0 && <li class="quiet">{texts.noConnections}</li>}
        </ul>
      )}
      {model === 'script' && (
        <JsonArea label={texts.rules} rows={8} value={rules} set={(value) => change({ rules: value })} note={texts.howRulesMatch} />
      )}
      {model === 'recordings' && (
        <>
          <p>{texts.repliesLoaded(recordings.length)}</p>
          <div class="buttons">
            {connections.map(({ uuid, name }) => (
              <button key={uuid} type="button" class="button outlined" onClick={() => void load(uuid)}>
                {texts.loadThoseOf(name)}
              </button>
            ))}
          </div>
          {connections.length === 0 && <p class="quiet">{texts.noRecordings}</p>}
          <ActError error={error} />
        </>
      )}
      <p class="quiet">
        {texts.callsAreUnder}{' '}
        <button type="button" class="button plain" onClick={() => show('ai')}>
          {texts.aiCalls}
        </button>
      </p>
    </div>
  );
}
