/** A page of the console with the newest messages that left, and the same as a panel beside each number. */
import { array, type Contributions, integer, object, route, string } from 'posthorn';

const MAX_FLIGHTS = 50;
const schema = object({ number: string(), to: string(), attempt: integer(), outcome: string() });
type Flight = { readonly number: string; readonly to: string; readonly attempt: number; readonly outcome: string };

const html = `<!doctype html>
<html lang="en">
<title>Flights</title>
<p id="state" role="status">Loading…</p>
<table hidden><thead><tr><th>To</th><th>Attempt</th><th>Outcome</th></tr></thead><tbody></tbody></table>
<script>
  const table = document.querySelector('table');
  async function show() {
    const { subject } = await posthorn.ready;
    const { flights } = await posthorn.call('GET', '/pigeon-post/flights' + (subject ? '?number=' + subject.uuid : ''));
    table.hidden = flights.length === 0;
    document.getElementById('state').textContent = flights.length === 0 ? 'Nothing has left yet.' : 'Newest first';
    table.tBodies[0].replaceChildren(...flights.map(({ to, attempt, outcome }) => {
      const row = document.createElement('tr');
      // As text, because addresses come from contacts.
      for (const text of [to, attempt, outcome]) row.insertCell().textContent = text;
      return row;
    }));
  }
  show();
  posthorn.listen(show);
</script>
</html>`;

export function createFlights(): { add(flight: Flight): void; contributions: Contributions } {
  // The newest first, until the process ends. A plugin that must keep them declares a collection.
  const flights: Flight[] = [];
  const list = route({
    method: 'GET',
    path: '/pigeon-post/flights',
    summary: 'Lists the newest messages that left, of all numbers or of one.',
    request: { query: object({}, { number: string() }) },
    responses: { 200: object({ flights: array(schema) }) },
    handler: ({ query: { number } }) => ({ flights: flights.filter((one) => number === undefined || one.number === number) }),
  });
  const shown = { title: 'Flights', calls: ['GET /pigeon-post/flights'], events: ['message.'], html: () => html };
  return {
    add(flight) {
      flights.unshift(flight);
      flights.splice(MAX_FLIGHTS);
    },
    contributions: {
      admin: [list],
      pages: [
        { name: 'flights', ...shown },
        { name: 'of-number', place: 'number', ...shown },
      ],
    },
  };
}
