import { expectSoundAtEveryWidth } from '../account-vocabulary';
import { expect, golden, test } from '../fixtures';
import { serve, textOf } from '../outside-service';

/** A program of the shop is told what happens: a receiver that listens, and one that is away. */
test.use({
  settings: { PARTSIGHT_PLAN: 'business', PARTSIGHT_WEBHOOK_PRIVATE_ADDRESSES: 'true' },
});

test('from a new webhook to what it was told, and what it missed', async ({ owner }) => {
  const { page } = owner;
  const types: string[] = [];
  let isAway = false;
  const receiver = await serve(async (request) => {
    types.push((JSON.parse(await textOf(request)) as { type: string }).type);
    return isAway ? null : {};
  });
  const url = `${receiver.url}/hooks`;
  await owner.open('/shop/webhooks');
  await page.getByRole('button', { name: 'Add Webhook' }).click();
  await expectSoundAtEveryWidth(owner);
  await page.getByLabel('Address').fill('ftp://shop');
  await page.getByRole('button', { name: 'Add Webhook' }).click();
  await expect(page.getByText(/^Please give an address such as/).first()).toBeVisible();
  await page.getByLabel('Address').fill(url);
  await page.getByRole('button', { name: 'Add Webhook' }).click();
  await expect(page.getByText(/^whsec_/)).toBeVisible();
  await expectSoundAtEveryWidth(owner);
  await page.getByRole('button', { name: 'Done' }).click();

  const row = page.getByRole('listitem', { name: url });
  await row.getByRole('button', { name: 'Send Test' }).click();
  await expect(page.getByText('The test arrived', { exact: true })).toBeVisible();
  expect(types).toEqual(['webhook.test']);

  await owner.open('/');
  await owner.scanAndWait(golden('brake-rotor').path);
  await expect.poll(() => types).toEqual(['webhook.test', 'scan.answered']);
  isAway = true;
  await page.getByRole('button', { name: 'Scan Another Part' }).click();
  await owner.scanAndWait(golden('coil-spring').path);
  await expect.poll(() => types.length).toBeGreaterThan(2);

  await owner.open('/shop/webhooks');
  await expect(row.getByText('Failing')).toBeVisible();
  await row.getByRole('button', { name: 'Deliveries' }).click();
  const deliveries = row.getByRole('list', { name: 'Deliveries' });
  await expect(deliveries.getByText('Waiting')).toBeVisible();
  await expect(deliveries.getByText('The answer was not a success (2xx).')).toBeVisible();
  await expectSoundAtEveryWidth(owner);
  isAway = false;
  await deliveries.getByRole('button', { name: 'Send scan.answered again' }).first().click();
  await expect(page.getByText('1 message sent again', { exact: true })).toBeVisible();
  await row.getByRole('button', { name: 'Switch Off' }).click();
  await expect(row.getByText('Off', { exact: true })).toBeVisible();
  await row.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete Webhook' }).click();
  await expect(page.getByText(/^No webhooks yet/)).toBeVisible();
  await receiver.stop();
});
