import t from 'tap';
import { dateTimeIn, type ExpressionEnvironment, evaluate, render } from '../../../../../plugins/journeys/engine/expression/expression.js';

const environment: ExpressionEnvironment = { now: Date.UTC(2025, 0, 15, 22, 30), timeZone: 'UTC', random: () => 0.5 };
const johannesburg = { ...environment, timeZone: 'Africa/Johannesburg' };
const value = (source: string, at = environment) => evaluate(source, [], at).value;
const text = (source: string, at = environment) => render(source, [], at).value;

t.test('dates and times follow the time zone of the environment', async (t) => {
  t.equal(text('@today()', johannesburg), '2025-01-16', 'half past midnight there');
  t.equal(text('@now()', johannesburg), '2025-01-16T00:30:00+02:00');
  t.equal(value('hour(now())', johannesburg), 0);
  t.ok(value("now() = '2025-01-15T22:30:00Z'", johannesburg));
  t.ok(value("now() = '2025-01-16 00:30'", johannesburg), 'without a zone it is the local time');
  t.equal(
    text("@datetime_add('2025-03-29 12:00', 1, 'D')", { ...environment, timeZone: 'Europe/Berlin' }),
    '2025-03-30T12:00:00+02:00',
    'noon stays noon when summer time begins',
  );
  const clocks: [zone: string, clock: string, moment: string][] = [
    ['Europe/Berlin', '2026-10-25 01:30', '2026-10-24T23:30:00.000Z'],
    ['Europe/Berlin', '2026-10-25 02:30', '2026-10-25T00:30:00.000Z'],
    ['Europe/Berlin', '2026-10-25 03:30', '2026-10-25T02:30:00.000Z'],
    ['Europe/Berlin', '2026-03-29 02:30', '2026-03-29T01:30:00.000Z'],
    ['Europe/Berlin', '2026-03-29 03:30', '2026-03-29T01:30:00.000Z'],
    ['America/New_York', '2026-11-01 01:30', '2026-11-01T05:30:00.000Z'],
    ['America/New_York', '2026-11-01 02:30', '2026-11-01T07:30:00.000Z'],
    ['America/New_York', '2026-03-08 02:30', '2026-03-08T07:30:00.000Z'],
    ['Australia/Lord_Howe', '2026-04-05 01:45', '2026-04-04T14:45:00.000Z'],
    ['Pacific/Apia', '2011-12-31 00:30', '2011-12-30T10:30:00.000Z'],
  ];
  for (const [zone, clock, moment] of clocks) {
    const said = `${clock} in ${zone}: of an hour that comes twice the first`;
    t.equal(new Date(dateTimeIn(clock, zone) ?? Number.NaN).toISOString(), moment, said);
  }
  t.equal(text("@datevalue(now(), '%A %-d %B, %H:%M')", johannesburg), 'Thursday 16 January, 00:30');
});
