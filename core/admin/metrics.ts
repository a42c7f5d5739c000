import { type Route, route } from '../contract/route.js';
import type { Metrics } from '../ports/metrics.js';

export function metricRoutes(metrics: Pick<Metrics, 'text'>): Route[] {
  return [
    route({
      method: 'GET',
      needsNoStore: true,
      path: '/metrics',
      permission: 'platform.read',
      shards: 'process',
      summary: 'Shows the metrics of the platform in the text format of Prometheus.',
      responses: { 200: { contentType: 'text/plain' } },
      async handler(_, h) {
        const { contentType, body } = await metrics.text();
        return h.response(body).type(contentType).header('cache-control', 'no-store');
      },
    }),
  ];
}
