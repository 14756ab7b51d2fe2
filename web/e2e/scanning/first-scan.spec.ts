import { ADA, expect, golden, test } from '../fixtures';

test('a newcomer signs up, accepts the terms, adds a vehicle, scans and comes back to the scan', async ({
  app,
}) => {
  const { page } = app;
  await app.open('/');
  await page.getByRole('link', { name: 'Sign In to Continue' }).click();
  await expect(page).toHaveURL(/\/profile$/);

  await page.getByRole('tab', { name: 'Sign Up' }).click();
  await page.getByLabel('First name').fill(ADA.firstName);
  await page.getByLabel('Last name').fill(ADA.lastName);
  await page.getByLabel('E-mail').fill(ADA.email);
  await page.getByLabel('Password').fill(ADA.password);
  await page.getByRole('button', { name: 'Sign Up', exact: true }).click();

  const terms = page.getByRole('dialog', { name: 'Terms and Privacy Policy' });
  await expect(terms).toBeVisible();
  await page.keyboard.press('Escape');
  await terms.getByRole('button', { name: 'Confirm and Accept' }).click();
  await expect(page.getByText('Agreement Required', { exact: true })).toBeVisible();
  await terms.getByLabel(/accept the Terms/).check();
  await terms.getByLabel(/accept the Privacy/).check();
  await terms.getByRole('button', { name: 'Confirm and Accept' }).click();
  await expect(terms).toBeHidden();
  await expect(page.getByText('Terms Accepted', { exact: true })).toBeVisible();

  await expect(page.getByText('Vehicle Required').first()).toBeVisible();
  await page.getByRole('link', { name: 'Add Vehicle' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add Vehicle' });
  await dialog.getByRole('button', { name: 'Add Vehicle' }).click();
  await expect(dialog.getByRole('alert')).toHaveText('Please fill in make, model, and year.');
  await dialog.getByLabel('Make').fill('Honda');
  await dialog.getByLabel('Model').fill('Civic');
  await dialog.getByLabel('Year').fill('2015');
  await dialog.getByRole('button', { name: 'Add Vehicle' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('Default', { exact: true })).toBeVisible();

  await app.goTo('Scan');
  await expect(page.getByRole('button', { name: /2015 Honda Civic/ })).toBeVisible();
  const picture = golden('brake-rotor');
  const answer = page.waitForResponse(/\/api\/identify$/);
  await app.scanAndWait(picture.path);
  const { identification } = (await (await answer).json()) as {
    identification: { label: string; partName: string };
  };
  expect(identification.label).toBe(picture.label);
  const part = page.getByRole('region', { name: 'Scan Results' });
  await expect(part.getByRole('heading', { name: identification.partName }).first()).toBeVisible();
  await expect(part.getByText('For 2015 Honda Civic')).toBeVisible();

  await expect(part.getByRole('tab', { name: 'Suppliers' })).toHaveAttribute(
    'aria-selected',
    'true',
  );
  await expect(part.getByText('Best Price')).toHaveCount(0);
  await part.getByRole('tab', { name: 'Videos' }).click();
  await expect(part.getByRole('link', { name: /Watch/ }).first()).toHaveAttribute(
    'href',
    /youtube\.com\/results/,
  );
  await part.getByRole('tab', { name: 'Where to Buy' }).click();
  await expect(part.getByText('Expected price range')).toBeVisible();
  await part.getByRole('tab', { name: 'Instructions' }).click();
  await expect(part.getByRole('listitem').first()).toBeVisible();

  await part.getByRole('button', { name: 'Close results' }).click();
  await expect(part).toBeHidden();
  await expect(page.getByText('Scans used 1/2')).toBeVisible();
  await page.getByRole('button', { name: new RegExp(`${identification.partName}.*match`) }).click();
  await expect(part).toBeVisible();

  await app.goTo('History');
  await page.getByRole('button', { name: new RegExp(`${identification.partName}.*match`) }).click();
  await expect(page).toHaveURL(/\?scan=/);
  await page.reload();
  await expect(page.getByRole('region', { name: 'Scan Results' })).toBeVisible();
});

test('the history is cleared after a question, and the allowance stays used', async ({ owner }) => {
  const { page } = owner;
  await owner.scanAndWait(golden('rim').path);
  await page.getByRole('button', { name: 'Close results' }).click();
  await page.getByRole('button', { name: 'Clear All' }).click();
  const question = page.getByRole('alertdialog', { name: 'Clear scan history?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('button', { name: 'Clear All' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear All' }).click();
  await question.getByRole('button', { name: 'Clear All' }).click();
  await expect(page.getByText('No scans yet')).toBeVisible();
  await expect(page.getByText('Scans used 1/2')).toBeVisible();
});
