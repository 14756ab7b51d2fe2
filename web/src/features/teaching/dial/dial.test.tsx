import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { DialCard } from '@/features/teaching/dial/components/dial-card';
import { boundText, figuresOf, laxerText, optionInForce } from '@/features/teaching/dial/model';
import { axisOf, pointsOf } from '@/features/teaching/dial/picture';
import { renderScreen } from '@/testing/render';
import { answer, note, refuse } from '@/testing/server';

const choice = (
  maxWrongPercent: number,
  facts: Partial<Schemas['DialChoice']> = {},
): Schemas['DialChoice'] => ({
  maxWrongPercent,
  identifiedConfidence: 0.98,
  inForce: false,
  isModelsOwn: false,
  isGuaranteed: true,
  errorUpperBound: 0.0378,
  n: 351,
  answeredLocally: 0.6553,
  answeredWrong: 0,
  toJudge: 0.3305,
  judgeMicroDollarsPer1000Scans: 3_305_000,
  ...facts,
});
const five = choice(5, {
  identifiedConfidence: 0.86,
  isModelsOwn: true,
  errorUpperBound: 0.0498,
  answeredLocally: 0.8262,
  answeredWrong: 4,
  toJudge: 0.1595,
  judgeMicroDollarsPer1000Scans: 1_595_000,
});
const dial: Schemas['Dial'] = {
  maxWrongPercent: null,
  mayChange: true,
  identifiedConfidence: 0.86,
  modelIdentifiedConfidence: 0.86,
  rule: 'With probability 95%.',
  measuredOn: 'Photographs of known parts.',
  confidenceIsFitted: false,
  choices: [choice(1, { isGuaranteed: false }), choice(2, { isGuaranteed: false }), five],
};
const chosen = (percent: number): Schemas['Dial'] => ({
  ...dial,
  maxWrongPercent: percent,
  choices: dial.choices.map((one) => ({ ...one, inForce: one.maxWrongPercent === percent })),
});

const open = (facts: Partial<Schemas['Dial']> = {}, inCompany = false) => {
  answer('get', '/api/dial', { ...dial, ...facts });
  return renderScreen(<DialCard inCompany={inCompany} />);
};

it('shows what each choice was measured to lead to', async () => {
  open({}, true);
  expect(await screen.findByRole('radio', { name: 'As the model suggests' })).toBeChecked();
  expect(screen.getByText(/holds for all members of your company/)).toBeVisible();
  expect(screen.getByText(/the same as “at most 5% wrong”/)).toBeVisible();
  const strict = screen.getByRole('radio', { name: 'At most 1% wrong' });
  expect(strict).toHaveAccessibleDescription(
    /^Not promised The photos were too few to promise at most 1%\. With 95% confidence, at most 3\.8% of the answers/,
  );
  const own = screen.getByRole('radio', { name: 'At most 5% wrong' });
  expect(own).toHaveAccessibleDescription(
    /^Promised With 95% confidence, at most 5\.0% of the answers on photos of parts that it has learnt are wrong\./,
  );
  expect(figuresOf(five)).toEqual([
    ['Answered here', '83%'],
    ['Wrong among them', '4 of 290'],
    ['Left unsure', '16%'],
    ['Second opinions for 1,000 scans', 'about $1.60'],
  ]);
  expect(screen.getByRole('img')).toHaveAccessibleName(
    /^At most 1% or 2% wrong: 66% of the photos answered.*At most 5% wrong: 83%/,
  );
  expect(screen.getByText(/Measured on 351 photos/)).toBeInTheDocument();
});

it('saves a choice when asked to, and by the keyboard', async () => {
  const sent = note('put', '/api/dial', chosen(2));
  const { person } = open();
  const save = await screen.findByRole('button', { name: 'Save' });
  expect(save).toHaveAttribute('aria-disabled', 'true');
  await person.click(screen.getByRole('radio', { name: 'As the model suggests' }));
  await person.keyboard('{ArrowDown}{ArrowDown}');
  expect(screen.getByRole('radio', { name: 'At most 2% wrong' })).toBeChecked();
  expect(screen.getByText('Not saved yet.')).toBeVisible();
  expect(sent).not.toHaveBeenCalled();
  answer('get', '/api/dial', chosen(2));
  await person.click(save);
  await waitFor(() => expect(sent).toHaveBeenCalledWith({ maxWrongPercent: 2 }));
  expect(await screen.findByText('Saved.')).toBeVisible();
  expect(screen.getByRole('radio', { name: 'At most 2% wrong' })).toHaveAccessibleDescription(
    /^In force/,
  );
  expect(save).toHaveAttribute('aria-disabled', 'true');
  expect(save).toHaveFocus();
  await person.keyboard('{Enter}');
  expect(sent).toHaveBeenCalledOnce();
});

it('keeps what was marked through a refusal, and lets it go on request', async () => {
  refuse('put', '/api/dial', { status: 503, detail: 'The database is busy.' });
  const { person } = open(chosen(5));
  await person.click(await screen.findByRole('radio', { name: 'As the model suggests' }));
  await person.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('The database is busy.');
  expect(screen.getByRole('radio', { name: 'As the model suggests' })).toBeChecked();
  await person.click(screen.getByRole('button', { name: 'Discard' }));
  expect(screen.getByRole('radio', { name: 'At most 5% wrong' })).toBeChecked();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

it('lets members look who do not manage the company', async () => {
  open({ mayChange: false }, true);
  expect(await screen.findByText(/Only those who manage your company/)).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Save' })).not.toBeInTheDocument();
  for (const radio of screen.getAllByRole('radio')) expect(radio).toBeDisabled();
});

it('promises nothing where feedback moved the confidence, and names no cost without a judge', async () => {
  open({
    confidenceIsFitted: true,
    choices: [{ ...five, isGuaranteed: false, judgeMicroDollarsPer1000Scans: null }],
  });
  expect(await screen.findByText('Nothing is promised for now')).toBeVisible();
  expect(screen.getByText(/Before your feedback moved the percentages/)).toBeVisible();
  expect(screen.queryByText(/Second opinions for/)).not.toBeInTheDocument();
});

it('says what holds in the place of a choice that the model does not offer', async () => {
  open({ ...chosen(2), maxWrongPercent: 4 });
  expect(await screen.findByText('At most 4% was chosen')).toBeVisible();
  expect(screen.getByRole('radio', { name: 'At most 2% wrong' })).toBeChecked();
  expect(optionInForce({ ...dial, maxWrongPercent: 4, choices: [] })).toBeNull();
});

it('has neither figures nor a picture for a model that was not measured', async () => {
  open({ choices: [], measuredOn: null });
  expect(await screen.findByText(/was not measured for this/)).toBeVisible();
  expect(screen.queryByRole('radio')).not.toBeInTheDocument();
});

it('asks again after the setting could not be loaded', async () => {
  refuse('get', '/api/dial', { status: 503, detail: 'Busy.' });
  const { person } = renderScreen(<DialCard inCompany={false} />);
  await screen.findByText('This setting could not be loaded');
  answer('get', '/api/dial', dial);
  await person.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByRole('radio', { name: 'At most 5% wrong' })).toBeVisible();
});

it('says of a laxer choice what the model’s own rule does not hold for', async () => {
  const ten = choice(10, { identifiedConfidence: 0.14, errorUpperBound: 0.0892 });
  const { person } = open({ choices: [...dial.choices, ten] });
  const lax = await screen.findByRole('radio', { name: 'At most 10% wrong' });
  expect(lax).toHaveAccessibleDescription(
    /at most 9\.0% of the answers on photos of parts that it has learnt are wrong\. More photos of parts that it does not know/,
  );
  expect(laxerText(five, dial)).toBe('');
  expect(screen.getByText(/Nothing is promised of parts that you taught/)).toBeVisible();
  expect(screen.getByText(dial.rule)).toBeInTheDocument();
  await person.click(lax);
  expect(screen.queryByText(dial.rule)).not.toBeInTheDocument();
});

it('rounds a bound up', () => {
  expect([0.0865, 0.05, 0.0498].map(boundText)).toEqual(['8.7%', '5.0%', '5.0%']);
});

it('draws choices that come to the same as one point, within whole steps', () => {
  const points = pointsOf([...dial.choices, choice(10, { answeredLocally: null })]);
  expect(points.map(({ percents }) => percents)).toEqual([[1, 2, 10], [5]]);
  expect(points[1]?.right).toBeCloseTo(286 / 290);
  const texts = (shares: number[]) => axisOf(shares).ticks.map((tick) => tick.toFixed(2));
  expect(texts([0.66, 0.83])).toEqual(['0.60', '0.70', '0.80', '0.90', '1.00']);
  expect(texts([0.95, 0.91])).toEqual(['0.90', '0.95', '1.00']);
  expect(texts([0])).toEqual(['0.00', '0.25', '0.50', '0.75', '1.00']);
});

it('shows beside each choice what it led to on photos of the shop', async () => {
  answer('get', '/api/dial', dial);
  const measured = [
    {
      confidence: 0.86,
      answered: 95,
      wrong: 3,
      total: 120,
      low: 0.011,
      high: 0.089,
      othersAnswered: 2,
      others: 40,
    },
    {
      confidence: 0.5,
      answered: 120,
      wrong: 9,
      total: 120,
      low: 0.04,
      high: 0.137,
      othersAnswered: 0,
      others: 0,
    },
  ];
  renderScreen(<DialCard inCompany={false} measured={measured} />);
  const own = await screen.findByRole('radio', { name: 'At most 5% wrong' });
  expect(own).toHaveAccessibleDescription(
    /On your photos: 95 of 120 answered \(79%\), 3 of them wrong \(3.2%, 95% interval 1.1% to 8.9%\)\. Of 40 photos of anything else, 2 answered too \(5%\), all of them wrong/,
  );
  // A threshold that the report does not have says nothing.
  const strict = screen.getByRole('radio', { name: 'At most 1% wrong' });
  expect(strict).not.toHaveAccessibleDescription(/On your photos/);
});
