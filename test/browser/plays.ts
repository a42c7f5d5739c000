import type { Page } from 'playwright-core';

/** How to fill in a flow, and the expected payload of its completion. */
export interface Play {
  readonly fill: (page: Page) => Promise<void>;
  readonly payload: object;
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
/** Presses a day, even a disabled one. */
const day = (page: Page, name: RegExp) => page.getByRole('button', { name }).click({ force: true });
const month = async (page: Page, year: string, name: string) => {
  await page.getByLabel('Year').selectOption(year);
  await page.getByLabel('Month', { exact: true }).selectOption({ label: name });
};

export const plays: Readonly<Record<string, Play>> = {
  'own-7_2-survey': {
    async fill(page) {
      await page.getByRole('radio', { name: 'OK' }).check();
      await press(page, 'Send');
    },
    payload: { rating: 'ok' },
  },
  'own-7_2-update-data': {
    async fill(page) {
      await press(page, 'Region');
      await page.getByRole('radio', { name: 'North' }).check();
      await press(page, 'Done');
      await page.getByRole('radio', { name: 'Northville' }).check();
      await page.getByRole('button', { name: /^Region/ }).click();
      await page.getByRole('radio', { name: 'South' }).check();
      await press(page, 'Done');
      await page.getByRole('radio', { name: 'Southport' }).check();
      await press(page, 'Send');
    },
    payload: { region: 's', town: 's1' },
  },
  'own-7_3-calendar': {
    async fill(page) {
      await press(page, 'Arrival');
      await month(page, '2026', 'May');
      await day(page, /Saturday, May 9, 2026/);
      await day(page, /Monday, May 11, 2026/);
      await press(page, 'Done');
      await page.getByRole('button', { name: /^From/ }).click();
      await month(page, '2026', 'June');
      await day(page, /June 1, 2026/);
      await day(page, /June 5, 2026/);
      await press(page, 'Done');
      await press(page, 'Book');
    },
    payload: { arrival: '2026-05-11', stay: { 'start-date': '2026-06-01', 'end-date': '2026-06-05' } },
  },
  'own-7_3-display': {
    async fill(page) {
      await press(page, 'Next image');
      await press(page, 'Read our policy');
      await page.getByText('https://example.com/policy').waitFor();
      await press(page, 'Cancel');
      await press(page, 'Done');
    },
    payload: {},
  },
  'own-7_3-document': {
    async fill(page) {
      const file = { name: 'contract.pdf', mimeType: 'application/pdf', buffer: Buffer.from('a contract') };
      await page.getByLabel('Add document').setInputFiles(file);
      await page.getByText('contract.pdf').waitFor();
      await press(page, 'Send');
    },
    payload: {
      contract: [
        { file_name: 'contract.pdf', mime_type: 'application/pdf', sha256: 'EGJTFwjr0wU+rUYhBx/bO7RLavmLxJzAcRG4M46OXig=', id: /^\d{16}$/ },
      ],
    },
  },
  'own-7_3-endpoint': {
    async fill(page) {
      await press(page, 'Day');
      await month(page, '2026', 'March');
      await day(page, /March 3, 2026/);
      await page.getByText('The preview calls no endpoint').waitFor();
      await press(page, 'Send response');
      await press(page, 'Time');
      await page.getByRole('radio', { name: '09:00' }).check();
      await press(page, 'Done');
      await press(page, 'Continue');
      await press(page, 'Send response');
      await page.getByText('Monday 08:00').waitFor();
      await press(page, 'Confirm');
    },
    payload: { slot: '2' },
  },
  'own-7_3-expressions': {
    async fill(page) {
      await page.getByRole('heading', { name: 'Hello Ann' }).waitFor();
      await page.getByLabel('People').fill('4');
      await page.getByText('Each pays 22.5').waitFor();
      await page.getByText('Left over: 2').waitFor();
      await press(page, 'Next');
      await page.getByText('For Ann: 4').waitFor();
      await press(page, 'Back');
      await page.getByLabel('People').fill('5');
      await press(page, 'Next');
      await page.getByText('For Ann: 5').waitFor();
      await press(page, 'Done');
    },
    payload: { people: 5, first: 'Ann' },
  },
  'own-7_3-if-switch': {
    async fill(page) {
      await page.getByText('No extras').waitFor();
      await page.getByRole('checkbox', { name: 'Show extras' }).check();
      await page.getByText('Gold extras').first().waitFor();
      await page.getByRole('checkbox', { name: 'X', exact: true }).check();
      await press(page, 'Finish with extras');
    },
    payload: { extras: true },
  },
  'own-7_3-inputs': {
    async fill(page) {
      await page.getByLabel('Name').fill('Ada Lovelace');
      await page.getByLabel('Age').fill('36');
      await page.getByLabel('Phone').fill('+27 83 123 4567');
      await page.getByLabel('Password').fill('secret');
      await page.getByLabel('PIN').fill('1234');
      await page.getByLabel('Notes').fill('None');
      await page.getByRole('checkbox', { name: /Tuesday/ }).check();
      await page.getByRole('radio', { name: /Large/ }).check();
      await press(page, 'City');
      await page.getByRole('radio', { name: 'Nairobi' }).check();
      await press(page, 'Done');
      await page.getByRole('checkbox', { name: 'Art', exact: true }).check();
      await page.getByRole('checkbox', { name: 'Books', exact: true }).check();
      await page.getByRole('button', { name: /^Preferred date/ }).click();
      await month(page, '2026', 'May');
      await day(page, /May 4, 2026/);
      await press(page, 'Done');
      await page.getByRole('checkbox', { name: 'I accept the terms' }).check();
      await press(page, 'Submit');
    },
    payload: { name: 'Ada Lovelace', mail: 'a@example.com', days: ['mon', 'tue'], tags: ['a', 'b'], when: '2026-05-04', terms: true },
  },
  'own-7_3-navigation-list': {
    async fill(page) {
      await page.getByRole('button', { name: /Soup/ }).click();
      await page.getByText('Soup of the day').waitFor();
      await press(page, 'Back');
      await press(page, 'Pie');
      await press(page, 'Order pie');
    },
    payload: { dish: 'pie' },
  },
  'own-7_3-photo': {
    async fill(page) {
      const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
      const file = { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(dot, 'base64') };
      await page.getByLabel('Add photo').setInputFiles(file);
      await page.getByText('dot.png').waitFor();
      await press(page, 'Send');
    },
    payload: { photo: [{ file_name: 'dot.png', mime_type: 'image/png', sha256: /^[\w+/]{43}=$/, id: /^\d{16}$/ }] },
  },
  'own-7_3-richtext': {
    async fill(page) {
      await page.getByRole('checkbox', { name: 'I agree' }).check();
      await press(page, 'Continue');
      await page.getByRole('columnheader', { name: 'Item' }).waitFor();
      await page.getByRole('img', { name: 'dot' }).waitFor();
      await press(page, 'Accept');
    },
    payload: { agree: true },
  },
};
