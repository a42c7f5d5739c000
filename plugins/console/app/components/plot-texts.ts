import { catalogue, number, plural } from '../../../../core/web/language.js';

export const texts = catalogue({
  callsOverTime: 'Outgoing attempts over time',
  range: 'Range',
  minutes5: '5 min',
  inLast5Minutes: 'the last 5 minutes',
  hour1: '1 h',
  inLastHour: 'the last hour',
  hours24: '24 h',
  inLast24Hours: 'the last 24 hours',
  noCallsToAny: (range: string) =>
    `No attempt in ${range}. With the first delivery to a webhook or connector, its rate, errors, response times, queue and lane appear here.`,
  noCallsToWebhook: (range: string) =>
    `No attempt in ${range}. With the first delivery to this webhook, its rate, errors, response times, queue and lane appear here.`,
  summary: (calls: number, range: string, failed: number, failedPercent: string, waiting: number) =>
    `${number(calls)} ${plural(calls, 'attempt', 'attempts')} in ${range}, ${number(failed)} failed${failed > 0 ? ` (${failedPercent})` : ''}; at most ${number(waiting)} waiting.`,
  marksInCharts: 'Marks in the charts',
  times: (count: number) => `${count} times`,
  asTable: 'As a table',
  from: 'From',
  calls: 'Attempts',
  failed: 'Failed',
  waiting: 'Waiting',
  lane: 'Lane',
  callsPerMinute: 'Attempts per minute',
  rateOfAll: (perMinute: number) => `${perMinute} made`,
  rateOfFailed: (perMinute: number) => `${perMinute} failed`,
  responseTime: 'Response time',
  waitingDeliveries: 'Waiting deliveries',
  timeOfValues: 'Time of the values',
  valuesAt: (time: string) => `Values at ${time}`,
});
