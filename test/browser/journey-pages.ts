import type { Page } from 'playwright-core';
import { violationsInBothThemes } from './browser.js';
import { type ConsoleUnderTest, overflowOf, startConsole } from './console.js';

export const KB = 1024;
export const MENU = `# Menu

\`\`\`stack
trigger(on: "MESSAGE RECEIVED")

card Menu, then: Menu do
  choice = buttons(Hours: "Hours", Table: "Table") do
    text("What would you like?")
  end
end

card Hours do
  text("From 9 to 5.")
end

card Table, then: Menu do
  people = ask("How many?")
end
\`\`\`
`;
export const TESTS = `tests:
  - name: hours
    steps: [start, { tap: Hours, expect: { text: From 9 to 5. } }]
`;
export const seed = {
  numbers: [{ kind: 'network', address: '+27600000001', name: 'Café' }],
  journeys: [{ number: '+27600000001', name: 'Menu', notebook: MENU }],
} as const;

export async function start(t: Tap) {
  const console = await startConsole(t, { seed });
  const number = console.sandbox.numbers[0]!.uuid;
  const [journey] = (await console.admin('GET', `/journeys?number=${number}`)).journeys;
  const say = (from: string, body: string) =>
    console.admin('POST', `/network/numbers/${number}/messages`, { from, type: 'text', text: { body } });
  return { ...console, number, uuid: journey.uuid as string, say };
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks at any part of a response
export type Body = any;

export type Tap = Parameters<ConsoleUnderTest['open']>[0];

export const node = (page: Page, name: RegExp) => page.locator('.graph-view').getByRole('button', { name });

export async function checkLook(t: Tap, page: Page, what: string): Promise<void> {
  t.strictSame(await violationsInBothThemes(page), [], `${what}: axe`);
  await checkWidth(t, page, what);
}

/** For parts that axe has seen with other content: each of its checks takes a second. */
export async function checkWidth(t: Tap, page: Page, what: string): Promise<void> {
  await page.setViewportSize({ width: 430, height: 800 });
  t.equal(await overflowOf(page), 0, `${what} at 430 px`);
  await page.setViewportSize({ width: 1280, height: 800 });
}

/** Types, and takes the first completion, which is this one. @param more typed while the completions are shown */
export async function complete(page: Page, typed: string, option: RegExp, more = ''): Promise<void> {
  await page.keyboard.type(typed);
  await page.getByRole('option', { name: option }).waitFor();
  await page.keyboard.type(more);
  await page.getByRole('option', { name: option, selected: true }).waitFor();
  // CodeMirror ignores Enter in the first 75 ms of a list, so that it does not complete text that is still typed.
  await page.waitForTimeout(500);
  await page.keyboard.press('Enter');
}
