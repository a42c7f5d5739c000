import type { Route } from '../../contract/route.js';
import { cancelManyRoute, redeliverManyRoute } from './many.js';
import { cancelRoute, redeliverRoute, retryRoute } from './one.js';
import type { DeliveryParts, DeliveryServices } from './parts.js';
import { responsesRoute } from './responses.js';
import { attemptsRoute, listRoute, showRoute } from './show.js';

/** The routes of the admin API that show, repeat and cancel deliveries. */
export const deliveryRoutes = (parts: DeliveryParts, { lanes, drivers }: DeliveryServices): Route[] => [
  listRoute(parts),
  attemptsRoute(parts),
  showRoute(parts, { drivers }),
  redeliverManyRoute(parts),
  cancelManyRoute(parts),
  redeliverRoute(parts),
  retryRoute(parts),
  responsesRoute(parts, { lanes }),
  cancelRoute(parts),
];
