import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectSoundAtEveryWidth } from '../account-vocabulary';
import { expectToast, fail } from '../failures';
import { expect, test } from '../fixtures';

/** Writing to support, as a visitor and with an account. */

test('a visitor writes to support', async ({ app }) => {
  const { page } = app;
  await app.open('/contact');
  await page.getByRole('button', { name: 'Send Message' }).click();
  await expect(page.getByText('Please fill in all required fields', { exact: true })).toBeVisible();
  await expect(
    page.getByText('Name, email, and message are required.', { exact: true }),
  ).toBeVisible();
  await expectSoundAtEveryWidth(app);
  await page.getByLabel('Name').fill('Bo Ek');
  await page.getByLabel('Email').fill('bo@example.org');
  await page.getByLabel('Subject').fill('Scans');
  await page.getByLabel('Message').fill('How do I scan a brake pad?');
  // The server takes a form that was filled in faster than anybody types for a program's.
  await page.waitForTimeout(2100);
  await page.getByRole('button', { name: 'Send Message' }).click();
  await expect(page.getByText('Message sent', { exact: true })).toBeVisible();
  await expect(page.getByLabel('Message')).toHaveValue('');
  await expect(async () => {
    const folder = join(app.server.dataDir, 'mail');
    const mails = await Promise.all(
      (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
    );
    expect(mails.join('\n')).toContain('How do I scan a brake pad?');
  }).toPass({ timeout: 60_000 });
});

test('a message that cannot be sent is kept', async ({ owner }) => {
  const { page } = owner;
  await owner.open('/contact');
  await expect(page.getByLabel('Name')).toHaveValue('Ada Byron');
  await expect(page.getByLabel('Email')).toHaveValue('ada@example.org');
  await page.getByLabel('Message').fill('Hello');
  const mend = await fail(owner, 'POST', '**/api/contact');
  const send = page.getByRole('button', { name: 'Send Message' });
  await send.press('Enter');
  await expect(page.getByText('Failed to send message', { exact: true })).toBeVisible();
  // It was disabled for as long as the message was on its way.
  await expect(send).toBeFocused();
  await expectToast(owner, 'Failed to send message', 'Please try again later.');
  await expect(page.getByLabel('Message')).toHaveValue('Hello');
  await mend();
  // The server takes a form that was filled in faster than anybody types for a program's.
  await page.waitForTimeout(2100);
  await page.getByRole('button', { name: 'Send Message' }).click();
  await expect(page.getByText('Message sent', { exact: true })).toBeVisible();
  await expect(page.getByLabel('Message')).toHaveValue('');
});

test('the address is copied, with a check mark', async ({ app, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await app.open('/contact');
  const button = app.page.getByRole('button', { name: /@/ });
  await button.click();
  await expect(button.getByText('Copied')).toBeAttached();
  const copied = await app.page.evaluate(() => navigator.clipboard.readText());
  expect(await button.textContent()).toContain(copied);
  await expect(button.getByText('Copied')).toHaveCount(0);
});

test('says when copying fails', async ({ app }) => {
  await app.page.addInitScript(() => {
    Object.defineProperty(navigator, 'clipboard', {
      value: { writeText: () => Promise.reject(new Error('not allowed')) },
    });
  });
  await app.open('/contact');
  await app.page.getByRole('button', { name: /@/ }).click();
  await expect(app.page.getByText('Copy failed', { exact: true })).toBeVisible();
  await expect(
    app.page.getByText('Please manually copy the email address.', { exact: true }),
  ).toBeVisible();
});
