import { test } from '../camera-film';
import { expect, golden } from '../fixtures';

test('a part held before the camera is captured and identified', async ({ filming }) => {
  const camera = await filming(golden('brake-rotor').path);
  const runtimes: string[] = [];
  camera.page.on('request', (request) => {
    if (/\/ort-[^/]*\.wasm$/.test(request.url())) runtimes.push(new URL(request.url()).pathname);
  });
  await camera.open('/');
  const panel = camera.page.getByRole('region', { name: 'Scan a part' });
  await expect(panel.getByRole('status')).toHaveText('Ready');
  await panel.getByRole('button', { name: 'Start Camera' }).click();
  await expect(panel.getByRole('status')).toHaveText('Video Ready');
  await camera.expectSound();
  // The model in the browser, before anything is uploaded.
  await expect(panel.getByText('Looks like: Brake Rotor')).toBeVisible({ timeout: 30_000 });
  // This browser has no graphics card for the model: only the runtime without one is fetched.
  expect(new Set(runtimes)).toEqual(
    new Set([expect.stringMatching(/\/ort-wasm-simd-threaded-[\w-]{8}\.wasm$/)]),
  );

  const answer = camera.page.waitForResponse(/\/api\/identify$/);
  await panel.getByRole('button', { name: 'Capture' }).click();
  const result = (await (await answer).json()) as { identification: { label: string } };
  expect(result.identification.label).toBe(golden('brake-rotor').label);
  await expect(camera.page.getByRole('region', { name: 'Scan Results' })).toBeVisible();

  await panel.getByRole('button', { name: 'Stop' }).click();
  await expect(panel.getByRole('status')).toHaveText('Ready');
});

test('a camera that is refused, missing or taken says how to go on', async ({ owner }) => {
  const { page } = owner;
  for (const [name, sentence] of [
    ['NotAllowedError', 'access was refused'],
    ['NotFoundError', 'no camera was found'],
    ['NotReadableError', 'another program is using it'],
  ] as const) {
    await page.evaluate((error) => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', error));
    }, name);
    await page.getByRole('button', { name: 'Start Camera' }).click();
    await expect(page.getByRole('alert')).toContainText(`Camera error: ${sentence}`);
    await expect(page.getByRole('status')).toHaveText('Error');
  }
  await owner.expectSound();
});

test('a flashlight that does not light says why', async ({ owner }) => {
  const { page } = owner;
  // No camera of a test machine has a light: a film of one colour gets one.
  await page.evaluate(() => {
    const canvas = document.createElement('canvas');
    const context = canvas.getContext('2d');
    setInterval(() => context?.fillRect(0, 0, canvas.width, canvas.height), 100);
    const light = { isThere: true };
    navigator.mediaDevices.getUserMedia = () => {
      const stream = canvas.captureStream();
      const [track] = stream.getVideoTracks();
      Object.assign(track ?? {}, {
        getCapabilities: () => ({ torch: light.isThere }),
        applyConstraints: () => Promise.reject(new Error('too hot')),
      });
      Object.assign(window, { light, stream });
      return Promise.resolve(stream);
    };
  });
  const panel = page.getByRole('region', { name: 'Scan a part' });
  const flashlight = panel.getByRole('button', { name: 'Flashlight' });
  const alert = panel.getByRole('alert');
  const start = async () => {
    await panel.getByRole('button', { name: 'Start Camera' }).click();
    await expect(panel.getByRole('status')).toHaveText('Video Ready');
  };
  await start();
  await flashlight.click();
  await expect(alert).toHaveText('Flashlight error: too hot');
  await expect(flashlight).toHaveAttribute('aria-pressed', 'false');
  await owner.expectSound();

  await page.evaluate(() => {
    (window as unknown as { light: { isThere: boolean } }).light.isThere = false;
  });
  await flashlight.click();
  await expect(alert).toHaveText('Flashlight not supported on this device');

  await page.evaluate(() => {
    const { stream } = window as unknown as { stream: MediaStream };
    for (const track of stream.getVideoTracks()) stream.removeTrack(track);
  });
  await flashlight.click();
  await expect(alert).toHaveText('No video track available');

  // With two fingers at once: the camera is off before the light is asked for.
  await panel.evaluate((element) => {
    const buttons = [...element.querySelectorAll('button')];
    for (const name of ['Stop', 'Flashlight']) {
      buttons.find((button) => button.textContent === name)?.click();
    }
  });
  await expect(alert).toHaveText('Camera must be active to use flashlight');
  await expect(panel.getByRole('status')).toHaveText('Ready');
  await start();
  await expect(alert).toHaveCount(0);
});

test('a camera that is turned off in the middle can be started again', async ({ filming }) => {
  const camera = await filming(golden('rim').path);
  await camera.open('/');
  const panel = camera.page.getByRole('region', { name: 'Scan a part' });
  await panel.getByRole('button', { name: 'Start Camera' }).click();
  await expect(panel.getByRole('status')).toHaveText('Video Ready');
  // As the browser tells it when the cable is pulled.
  await panel.locator('video').evaluate((video: HTMLVideoElement) => {
    (video.srcObject as MediaStream).getVideoTracks()[0]?.dispatchEvent(new Event('ended'));
  });
  await expect(panel.getByRole('alert')).toContainText('Camera error: it was disconnected');
  await panel.getByRole('button', { name: 'Start Camera' }).click();
  await expect(panel.getByRole('status')).toHaveText('Video Ready');
});
