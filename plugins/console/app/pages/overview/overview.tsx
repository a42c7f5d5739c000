import { Plots } from '../../components/plots.js';
import { Failure, Loading } from '../../components/status.js';
import { useEndpoints } from '../../data/endpoints.js';
import { useOutcomes } from '../../data/outcomes.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord, ShownChannel, ShownWebhook } from '../../data/records.js';
import { Addresses } from './addresses.js';
import { Health } from './health.js';
import { Latest } from './latest.js';
import { Problems } from './problems.js';
import { Steps } from './steps.js';
import { texts } from './texts.js';
import { Traffic } from './traffic.js';

/** Whether everything works, what to paste where, and what to do next. */
export default function Overview() {
  const numbers = useQuery<{ numbers: readonly NumberRecord[] }>('/numbers', ['number.', 'state.']);
  // Platforms without these plugins have no such routes.
  const channels = useQuery<{ channels: readonly ShownChannel[] }>('/channels', ['number.', 'webhook.', 'state.']);
  const webhooks = useQuery<{ webhooks: readonly ShownWebhook[] }>('/webhooks', ['number.', 'webhook.', 'state.']);
  const outcomes = useOutcomes();
  const endpoints = useEndpoints();
  const isLoaded = numbers.data && outcomes && (channels.data || channels.error) && (webhooks.data || webhooks.error);
  if (!isLoaded)
    return (
      <div class="content">
        <h1>{texts.overview}</h1>
        {numbers.error ? <Failure error={numbers.error} retry={numbers.reload} /> : <Loading />}
      </div>
    );
  const reload = (): void => {
    numbers.reload();
    channels.reload();
    webhooks.reload();
  };
  const about = {
    numbers: numbers.data!.numbers,
    channels: channels.data?.channels ?? [],
    webhooks: webhooks.data?.webhooks ?? [],
    outcomes: outcomes!,
    endpoints: endpoints ?? new Map(),
  };
  return (
    <div class="content overview">
      <div class="head">
        <h1>{texts.overview}</h1>
      </div>
      <Problems {...about} />
      <Steps {...about} reload={reload} />
      <div class="overview-columns">
        <div class="overview-column">
          <Health {...about} />
          <Plots heading="h2" />
          <Traffic />
        </div>
        <div class="overview-column">
          <Addresses numbers={about.numbers} />
          <Latest webhooks={about.webhooks} />
        </div>
      </div>
    </div>
  );
}
