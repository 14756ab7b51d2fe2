import { expectSoundAtEveryWidth } from '../account-vocabulary';
import { expect, golden, test as base } from '../fixtures';
import { serve } from '../outside-service';

/** Recalls of a vehicle and of the part in hand, from a service that answers in the form of NHTSA's. */

const recall = (campaign: string, day: string, component: string, summary: string) => ({
  Manufacturer: 'Honda (American Honda Motor Co.)',
  NHTSACampaignNumber: campaign,
  parkIt: component.includes('BRAKES'),
  parkOutSide: false,
  ReportReceivedDate: day,
  Component: component,
  Summary: summary,
  Consequence: 'It may fail.',
  Remedy: 'Dealers will replace it, free of charge.',
  ModelYear: '2015',
  Make: 'HONDA',
  Model: 'CIVIC',
});

const RECALLS = [
  recall('15V574000', '09/09/2015', 'POWER TRAIN:AUTOMATIC TRANSMISSION', 'A pulley may break.'),
  recall(
    '16V111000',
    '02/03/2016',
    'SERVICE BRAKES, HYDRAULIC:FOUNDATION COMPONENTS:DISC:ROTOR',
    'The brake rotor may crack.',
  ),
];

const COMPLAINTS = [
  {
    odiNumber: 11184030,
    crash: true,
    fire: false,
    dateComplaintFiled: '03/01/2019',
    components: 'AIR BAGS',
    summary: 'The lamp is on.',
  },
];

/** `asked` is what the service was asked. */
const test = base.extend<{ asked: string[] }>({
  asked: async ({}, use) => {
    await use([]);
  },
  settings: async ({ asked }, use) => {
    const { url, stop } = await serve((request) => {
      const path = request.url ?? '/';
      asked.push(path);
      const found = path.startsWith('/recalls/recallsByVehicle')
        ? { Count: RECALLS.length, Message: 'Results returned successfully', results: RECALLS }
        : { count: COMPLAINTS.length, message: 'Results returned', results: COMPLAINTS };
      return Promise.resolve(found);
    });
    await use({ PARTSIGHT_RECALLS_URL: url });
    await stop();
  },
});

test('recalls stand with the vehicle, and where the part in hand is named', async ({
  owner,
  asked,
}) => {
  const { page } = owner;
  await owner.goTo('Vehicle');
  const panel = page.getByRole('region', { name: 'Recalls' });
  const list = panel.getByRole('list', { name: 'Recalls of the 2015 Honda Civic' });
  await expect(list.getByRole('listitem')).toHaveCount(2);
  // The newest first, with number, date and remedy.
  await expect(list.getByRole('listitem').first()).toContainText('Campaign 16V111000, Mar 2, 2016');
  await expect(list.getByText('Do not drive')).toBeVisible();
  await expect(list.getByText(/free of charge/).first()).toBeVisible();
  await panel.getByText('1 complaint by owners').click();
  await expect(panel.getByText('Mar 1, 2019 · Air Bags · with a crash')).toBeVisible();
  await expectSoundAtEveryWidth(owner);
  // Make, model and year alone leave the machine.
  expect([...asked].sort()).toEqual([
    '/complaints/complaintsByVehicle?make=Honda&model=Civic&modelYear=2015',
    '/recalls/recallsByVehicle?make=Honda&model=Civic&modelYear=2015',
  ]);

  await owner.goTo('Scan');
  await owner.scanAndWait(golden('brake-rotor').path);
  await expect(page.getByText('1 recall of the 2015 Honda Civic names this part')).toBeVisible();
  const named = page.getByRole('list', { name: 'Recalls that name this part' });
  await expect(named).toContainText('The brake rotor may crack.');
  await expect(named).not.toContainText('pulley');
  await expectSoundAtEveryWidth(owner);
  expect(asked, 'the answer was kept').toHaveLength(2);
});
