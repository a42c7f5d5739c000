import type { Deliveries } from '../../delivery/deliveries.js';
import type { DeliveryOutbox } from '../../delivery/delivery.js';
import type { DeliveryDetails } from '../../delivery/delivery-details.js';
import type { Lanes } from '../../delivery/lanes.js';
import type { DeliverySender } from '../../delivery/sender.js';
import type { SettledDeliveries } from '../../delivery/settled-deliveries.js';
import type { Webhooks } from '../../delivery/webhooks.js';
import type { ChannelDriver } from '../../messaging/channel-drivers.js';
import type { Messages } from '../../messaging/messages.js';
import type { Numbers } from '../../messaging/numbers.js';
import type { Clock } from '../../ports/clock.js';
import type { Database } from '../../ports/transaction.js';

/** Parts of the platform that the routes of deliveries use. */
export interface DeliveryParts {
  readonly store: Database;
  readonly outbox: DeliveryOutbox;
  readonly settledDeliveries: SettledDeliveries;
  readonly deliveries: Deliveries;
  readonly deliveryDetails: DeliveryDetails | undefined;
  readonly webhooks: Pick<Webhooks, 'assertCallable' | 'require' | 'signingKey'>;
  readonly senders: ReadonlyMap<string, DeliverySender>;
  readonly clock: Clock;
  readonly messages: Pick<Messages, 'get'>;
  readonly numbers: Pick<Numbers, 'get'>;
}

export interface DeliveryServices {
  readonly lanes: Pick<Lanes, 'since'>;
  readonly drivers: () => ReadonlyMap<string, ChannelDriver>;
}
