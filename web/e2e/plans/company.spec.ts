import { expectSoundAtEveryWidth, mailedLink } from '../account-vocabulary';
import { expectToast, fail } from '../failures';
import { App, expect, golden, test } from '../fixtures';

/** A company and its team, on a server that gives everybody Business. */

test.use({ settings: { PARTSIGHT_PLAN: 'business' } });

test('make a company, with a logo', async ({ owner }) => {
  const { page } = owner;
  await owner.goTo('Profile');
  await page.getByRole('button', { name: 'Create Company' }).click();
  const form = page.getByRole('form', { name: 'New company' });
  await form.getByRole('button', { name: 'Create Company' }).click();
  await expect(form.getByText('Enter the name of the company.')).toBeVisible();
  await form.getByLabel('Company name').fill("Lee's Garage");
  await form.getByLabel('Description').fill('Brakes and exhausts since 1987.');

  const logo = form.getByLabel('Logo', { exact: true });
  await logo.setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('text') });
  await expectToast(owner, 'Invalid file type', 'Please select an image file.');
  const large = { name: 'a.png', mimeType: 'image/png', buffer: Buffer.alloc(5 * 1024 * 1024 + 1) };
  await logo.setInputFiles(large);
  await expectToast(owner, 'File too large', 'Please select an image smaller than 5MB.');
  await logo.setInputFiles(golden('rim').path);
  await expect(form.getByAltText('Preview of the logo')).toBeVisible();
  await expectSoundAtEveryWidth(owner);
  await form.getByRole('button', { name: 'Create Company' }).click();

  const company = page.getByRole('region', { name: 'Company', exact: true });
  await expect(company.getByRole('heading', { name: "Lee's Garage" })).toBeVisible();
  await expect(company.getByRole('img')).toHaveCount(0);
  await expect(company.locator('img')).toHaveAttribute('src', /^data:image\/(png|jpeg)/);

  await expectSoundAtEveryWidth(owner);
  await company.getByRole('button', { name: 'Edit Company' }).click();
  await company.getByLabel('Company name').fill('Lee and Daughters');
  await company.getByRole('button', { name: 'Remove Logo' }).click();
  await company.getByRole('button', { name: 'Save Company' }).click();
  await expect(company.getByRole('heading', { name: 'Lee and Daughters' })).toBeVisible();
  await expect(company.locator('img')).toHaveCount(0);
});

test('invite somebody, who signs up and joins, and is removed', async ({ owner, browser }) => {
  const { page } = owner;
  await owner.post('/api/company', { name: 'Garage' });
  await owner.open('/shop/team');
  await page.getByRole('button', { name: 'Add Member' }).click();
  const form = page.getByRole('form', { name: 'Add member' });
  await form.getByRole('button', { name: 'Add to Team' }).click();
  await expect(form.getByText('Enter the full name.')).toBeVisible();
  await form.getByLabel('Full name').fill('Bo Ek');
  await form.getByLabel('E-mail').fill('bo@example.org');
  await expectSoundAtEveryWidth(owner);
  await form.getByRole('button', { name: 'Add to Team' }).click();
  await expect(page.getByText('Copy the link now', { exact: true })).toBeVisible();
  await expectSoundAtEveryWidth(owner);
  const link = await page.getByText(/#invitation=/).textContent();
  await page.getByRole('button', { name: 'Done' }).click();
  const members = page.getByRole('list', { name: 'Members' });
  await expect(members.getByText('pending')).toBeVisible();
  await owner.expectSound();

  const other = await browser.newContext();
  const bo = await other.newPage();
  await bo.goto(link ?? '');
  await expect(bo.getByText('You are invited to join Garage')).toBeVisible();
  await bo.getByRole('tab', { name: 'Sign Up' }).click();
  await bo.getByLabel('First name').fill('Bo');
  await bo.getByLabel('Last name').fill('Ek');
  await bo.getByLabel('E-mail').fill('bo@example.org');
  await bo.getByLabel('Password').fill('amber-kite-1');
  await bo.getByRole('button', { name: 'Sign Up', exact: true }).click();
  await bo.getByLabel(/accept the Terms/).check();
  await bo.getByLabel(/accept the Privacy/).check();
  await bo.getByRole('button', { name: 'Confirm and Accept' }).click();
  await bo.getByRole('button', { name: 'Join', exact: true }).click();
  await expect(bo.getByText('You are a member of Garage now.', { exact: true })).toBeVisible();
  await expect(bo.getByRole('button', { name: 'Add Member' })).toHaveCount(0);
  await other.close();

  await page.reload();
  await expect(members.getByText('pending')).toHaveCount(0);
  await page.getByLabel('Role of Bo Ek').selectOption('manager');
  await expect(page.getByText('Role changed', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Remove Bo Ek' }).click();
  const question = page.getByRole('alertdialog', { name: 'Remove Bo Ek?' });
  await owner.expectSound();
  await question.getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('Team member removed', { exact: true })).toBeVisible();
  await expect(members.getByRole('listitem')).toHaveCount(1);
});

test('somebody with an account is asked, declines, joins, and leaves for good', async ({
  owner,
  browser,
}) => {
  const { page, server } = owner;
  const other = await browser.newContext();
  const bo = new App(await other.newPage(), server);
  const account = { email: 'bo@example.org', password: 'amber-kite-1', firstName: 'Bo' };
  await bo.signUp(account);
  // An invitation is shown to an account whose address is confirmed.
  await bo.open(await mailedLink(owner, account.email, 'verify-email'));
  await bo.page.getByRole('button', { name: 'Confirm Address' }).click();
  await expect(bo.page.getByText('E-mail address confirmed')).toBeVisible();
  const invite = { userEmail: 'bo@example.org', userName: 'Bo Ek' };
  const ask = async (name: string) => {
    const { id } = await owner.post('/api/company', { name });
    await owner.post(`/api/company/${id}/members`, invite);
    return id;
  };

  const first = await ask('Grim & Sons');
  await bo.open('/profile');
  const grim = bo.page.getByRole('region', { name: 'Invitation to Grim & Sons' });
  await expect(grim.getByText('Ada Byron (ada@example.org) asks you in')).toBeVisible();
  await expect(grim.getByText('No vision-LLM elsewhere gets photos.')).toBeVisible();
  await expect(bo.page.getByRole('list', { name: 'Members' })).toHaveCount(0);
  await expectSoundAtEveryWidth(bo);
  await grim.getByRole('button', { name: 'Decline' }).click();
  await bo.expectSound();
  await bo.page.getByRole('alertdialog').getByRole('button', { name: 'Decline' }).click();
  await expectToast(bo, 'Invitation declined', 'Grim & Sons cannot ask you again for 30 days.');
  await expect(grim).toHaveCount(0);

  await owner.open('/shop/team');
  await page.getByRole('button', { name: 'Add Member' }).click();
  const form = page.getByRole('form', { name: 'Add member' });
  await form.getByLabel('Full name').fill('Bo Ek');
  await form.getByLabel('E-mail').fill('bo@example.org');
  await form.getByRole('button', { name: 'Add to Team' }).click();
  await expectToast(
    owner,
    'Error',
    'This person declined an invitation of this company. You can ask again 30 days after that.',
  );
  await owner.call('delete', `/api/company/${first}`);

  const second = await ask('Garage');
  await bo.page.reload();
  await bo.page
    .getByRole('region', { name: 'Invitation to Garage' })
    .getByRole('button', { name: 'Join' })
    .click();
  // What was pressed is gone, and the keyboard goes on with the screen.
  await expect(bo.page.getByRole('main')).toBeFocused();
  await expectToast(bo, 'Welcome', 'You are a member of Garage now.');
  const members = bo.page.getByRole('list', { name: 'Members' });
  await expect(members.getByRole('listitem')).toHaveCount(2);
  await expectSoundAtEveryWidth(bo);
  await bo.page.getByRole('button', { name: 'Leave the company' }).click();
  await bo.page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
  await expect(bo.page.getByText('You left the company', { exact: true })).toBeVisible();
  await expect(members).toHaveCount(0);
  await expect(bo.page.getByRole('main')).toBeFocused();

  // Asked again, Bo is asked and nothing more.
  await owner.post(`/api/company/${second}/members`, invite);
  await bo.open('/profile');
  await expect(bo.page.getByRole('region', { name: 'Invitation to Garage' })).toBeVisible();
  await expect(members).toHaveCount(0);
  await other.close();
});

test('what fails of a company and its team is said, and nothing typed is lost', async ({
  owner,
}) => {
  const { page } = owner;
  await owner.open('/shop/team');
  await page.getByRole('button', { name: 'Create Company' }).click();
  const create = page.getByRole('form', { name: 'New company' });
  await create.getByLabel('Company name').fill('Garage');
  await create.getByLabel('Description').fill('Brakes and exhausts.');
  await create.getByLabel('Logo', { exact: true }).setInputFiles(golden('rim').path);
  await expect(create.getByAltText('Preview of the logo')).toBeVisible();
  const mendCreate = await fail(owner, 'POST', '**/api/company');
  await create.getByRole('button', { name: 'Create Company' }).click();
  await expectToast(owner, 'Error', 'Failed to create company');
  await expect(create.getByLabel('Company name')).toHaveValue('Garage');
  await expect(create.getByLabel('Description')).toHaveValue('Brakes and exhausts.');
  await expect(create.getByAltText('Preview of the logo')).toBeVisible();
  await mendCreate();
  await create.getByRole('button', { name: 'Create Company' }).click();
  await expectToast(owner, 'Company created', 'Garage is yours. Add your team next.');

  const company = page.getByRole('region', { name: 'Company', exact: true });
  const mendUpdate = await fail(owner, 'PUT', '**/api/company/*');
  await company.getByRole('button', { name: 'Edit Company' }).click();
  await company.getByLabel('Company name').fill('Garage and Daughters');
  await company.getByRole('button', { name: 'Save Company' }).click();
  await expectToast(owner, 'Error', 'Failed to update company');
  await expect(company.getByLabel('Company name')).toHaveValue('Garage and Daughters');
  await mendUpdate();
  await company.getByRole('button', { name: 'Save Company' }).click();
  await expectToast(owner, 'Company saved', 'Your team sees it like this.');

  const add = page.getByRole('form', { name: 'Add member' });
  const invite = async () => {
    await page.getByRole('button', { name: 'Add Member' }).click();
    await add.getByLabel('Full name').fill('Bo Ek');
    await add.getByLabel('E-mail').fill('bo@example.org');
    await add.getByRole('button', { name: 'Add to Team' }).click();
  };
  const mendAdd = await fail(owner, 'POST', '**/api/company/*/members');
  await invite();
  await expectToast(owner, 'Error', 'Failed to add team member');
  await expect(add.getByLabel('Full name')).toHaveValue('Bo Ek');
  await expect(add.getByLabel('E-mail')).toHaveValue('bo@example.org');
  await mendAdd();
  await add.getByRole('button', { name: 'Add to Team' }).click();
  await expect(page.getByText('Copy the link now', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Done' }).click();
  // Of its own accord the server refuses the same person a second time, and says why.
  await invite();
  await expectToast(
    owner,
    'Error',
    'This person is invited already. To send another invitation, remove this one first.',
  );
  await expect(add.getByLabel('Full name')).toHaveValue('Bo Ek');
  await add.getByRole('button', { name: 'Cancel' }).click();

  const remove = async () => {
    await page.getByRole('button', { name: 'Remove Bo Ek' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  };
  const mendRemove = await fail(owner, 'DELETE', '**/api/company/*/members/*');
  await remove();
  await expectToast(owner, 'Error', 'Failed to remove team member');
  const rows = page.getByRole('list', { name: 'Members' }).getByRole('listitem');
  await expect(rows).toHaveCount(2);
  await mendRemove();
  await remove();
  await expectToast(owner, 'Team member removed', 'Bo Ek is no longer in the company.');
  await expect(rows).toHaveCount(1);
});

test('make a key for a program, use it, revoke it', async ({ owner, playwright }) => {
  const { page, server } = owner;
  await owner.open('/shop/api-keys');
  await page.getByRole('button', { name: 'Create Key' }).click();
  const form = page.getByRole('form', { name: 'New API key' });
  await form.getByLabel('Name').fill('Returns desk');
  await form.getByLabel('Read vehicles, records and reminders').check();
  await expectSoundAtEveryWidth(owner);
  await form.getByRole('button', { name: 'Create Key' }).click();
  await expect(page.getByText('Copy your key now')).toBeVisible();
  const key =
    (await page
      .getByText(/^ps_live_/)
      .first()
      .textContent()) ?? '';
  await owner.expectSound();

  const program = await playwright.request.newContext({
    baseURL: server.url,
    extraHTTPHeaders: { Authorization: `Bearer ${key.trim()}` },
  });
  expect((await program.get('/api/vehicles')).status()).toBe(200);
  expect((await program.get('/api/company')).status()).toBe(403);

  await page.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText(key)).toHaveCount(0);
  await page.getByRole('button', { name: 'Revoke Returns desk' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke Key' }).click();
  await expect(page.getByText('No keys yet.')).toBeVisible();
  expect((await program.get('/api/vehicles')).status()).toBe(401);
  await program.dispose();
});
