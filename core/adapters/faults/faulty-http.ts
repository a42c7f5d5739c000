import type { Clock } from '../../ports/clock.js';
import type { Faults } from '../../ports/faults.js';
import type { HttpClient } from '../../ports/http-client.js';
import { faultyExchange } from './faulty-exchange.js';

/** The HTTP client of one plugin, whose requests can fail on purpose. */
export function faultyHttp(
  http: Pick<HttpClient, 'send'>,
  { faults, clock, plugin }: { readonly faults: Faults; readonly clock: Pick<Clock, 'sleep' | 'during'>; readonly plugin: string },
): Pick<HttpClient, 'send'> {
  return {
    send(request) {
      const { method, url, shownUrl = url } = request;
      const host = URL.canParse(url) ? new URL(url).host : undefined;
      const fault = faults.fire('http', { plugin, method, host, text: shownUrl });
      if (!fault) return http.send(request);
      return clock.during(() => faultyExchange(fault.effect, request, clock, () => http.send(request)));
    },
  };
}
