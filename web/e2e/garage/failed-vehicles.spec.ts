import { expectToast, fail } from '../failures';
import { expect, test } from '../fixtures';

/** What the vehicles page and the top bar say when a vehicle cannot be saved, chosen or deleted. */

test('lists that do not come, and a vehicle that cannot be saved, are said in the dialog', async ({
  owner,
}) => {
  const { page } = owner;
  const mends = {
    makes: await fail(owner, 'GET', '**/api/vehicles/makes'),
    models: await fail(owner, 'GET', '**/api/vehicles/models/*'),
    engines: await fail(owner, 'GET', '**/api/vehicles/engines/**'),
    save: await fail(owner, 'POST', '**/api/vehicles'),
  };
  await owner.goTo('Vehicle');
  const dialog = page.getByRole('dialog', { name: 'Add Vehicle' });
  const openDialog = () => page.getByRole('button', { name: 'Add Vehicle' }).click();
  const field = (name: string) => dialog.getByRole('combobox', { name });

  await openDialog();
  await expect(dialog.getByText('Failed to fetch makes', { exact: true })).toBeVisible();
  await expect(field('Make')).toHaveAccessibleDescription('Failed to fetch makes');
  await owner.expectSound();
  await mends.makes();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await openDialog();
  await expect(dialog.getByText('Failed to fetch makes', { exact: true })).toHaveCount(0);

  // A make that is on the list leads to the list of its models.
  await field('Make').fill('Honda');
  await expect(dialog.getByText('Failed to fetch models', { exact: true })).toBeVisible();
  await mends.models();
  await field('Make').fill('Ford');
  await field('Make').fill('Honda');
  await expect(dialog.getByText('Failed to fetch models', { exact: true })).toHaveCount(0);

  await field('Model').fill('Civic');
  await field('Year').fill('2015');
  await expect(dialog.getByText('Failed to fetch engines', { exact: true })).toBeVisible();
  // No list is needed: what it would have can be typed.
  await field('Engine').fill('1.8L 4-cyl');
  await dialog.getByLabel('License plate').fill('7XYZ899');
  await dialog.getByRole('button', { name: 'Add Vehicle' }).click();
  await expect(dialog.getByRole('alert')).toHaveText('Failed to add vehicle. Please try again.');
  await expect(field('Engine')).toHaveValue('1.8L 4-cyl');
  await expect(dialog.getByLabel('License plate')).toHaveValue('7XYZ899');
  await owner.expectSound();

  await mends.save();
  await dialog.getByRole('button', { name: 'Add Vehicle' }).click();
  await expectToast(owner, 'Vehicle Added', '2015 Honda Civic is saved.');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('7XYZ899', { exact: true })).toBeVisible();
});

test('a default that cannot be changed stays, and so does a vehicle that cannot be deleted', async ({
  owner,
}) => {
  const { page } = owner;
  await owner.post('/api/vehicles', { make: 'Ford', model: 'F-150', year: 2019 });
  const camry = await owner.post('/api/vehicles', { make: 'Toyota', model: 'Camry', year: 2012 });
  await owner.open('/vehicle');
  const first = page.getByRole('article').first();
  const choose = (name: string) =>
    page.getByRole('button', { name: `Make ${name} the default vehicle` }).click();
  const chooseAbove = async (name: string) => {
    await page.getByRole('button', { name: /^Default vehicle/ }).click();
    await page.getByRole('menuitemradio', { name }).click();
  };

  const mendDefault = await fail(owner, 'PUT', '**/api/vehicles/*/default');
  await choose('2019 Ford F-150');
  await expectToast(owner, 'Error', 'Failed to set default vehicle. Please try again.');
  await expect(first).toContainText('Civic');
  await chooseAbove('2019 Ford F-150');
  await expectToast(owner, 'Error', 'Failed to update default vehicle');
  await expect(
    page.getByRole('button', { name: /^Default vehicle.*2015 Honda Civic/ }),
  ).toBeVisible();
  await mendDefault();

  // Somebody deleted it on another machine: here the server says why, itself.
  await owner.call('delete', `/api/vehicles/${camry.id}`);
  await chooseAbove('2012 Toyota Camry');
  await expectToast(owner, 'Error', 'This vehicle does not exist. Please choose another one.');

  await chooseAbove('2019 Ford F-150');
  await expectToast(owner, 'Vehicle Updated', 'Default vehicle changed successfully');
  await expect(first).toContainText('F-150');

  const mendDelete = await fail(owner, 'DELETE', '**/api/vehicles/*');
  const deleteCivic = async () => {
    await page.getByRole('button', { name: 'Delete 2015 Honda Civic' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete 2015 Honda Civic?' });
    await question.getByRole('button', { name: 'Delete Vehicle' }).click();
  };
  await deleteCivic();
  await expectToast(owner, 'Error', 'Failed to delete vehicle. Please try again.');
  await expect(page.getByRole('article').filter({ hasText: 'Civic' })).toBeVisible();
  await mendDelete();
  await deleteCivic();
  await expect(page.getByRole('article').filter({ hasText: 'Civic' })).toHaveCount(0);
});

test('a session that ended is said before the sign-in comes, and the vehicle is kept', async ({
  owner,
}) => {
  const { page } = owner;
  await owner.goTo('Vehicle');
  await page.getByRole('button', { name: 'Add Vehicle' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add Vehicle' });
  await dialog.getByRole('combobox', { name: 'Make' }).fill('Ford');
  await dialog.getByRole('combobox', { name: 'Model' }).fill('F-150');
  await page.context().clearCookies();

  // A browser asks again who is signed in when it comes back to the tab. The form stays with all that is in it.
  await page.evaluate(() => {
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  });
  await expectToast(
    owner,
    'Unauthorized',
    'You are logged out. Save what you typed: it is kept while you sign in again.',
  );
  await expect(dialog.getByRole('combobox', { name: 'Model' })).toHaveValue('F-150');

  // The page is left half a second later: an answer without a page keeps it until the toast is read.
  const signIn = '**/api/login?returnTo=%2Fvehicle';
  const left = page.waitForRequest(signIn);
  await page.route(signIn, (route) => route.fulfill({ status: 204 }));
  await dialog.getByRole('button', { name: 'Add Vehicle' }).click();
  await expectToast(owner, 'Unauthorized', 'You are logged out. Logging in again...');
  await left;
  await page.unroute(signIn);
  await owner.open('/api/login?returnTo=%2Fvehicle');
  await expect(page).toHaveURL(/\/profile/);
  await expect(
    page.getByText('Your session has ended. Sign in again: what you typed is kept.'),
  ).toBeVisible();
  await owner.signIn();
  // Back where the session ended, with the form as it was.
  await expect(page).toHaveURL(/\/vehicle$/);
  await expect(dialog.getByRole('combobox', { name: 'Model' })).toHaveValue('F-150');
});
