import type { Schemas } from '@/api/client';
import { viewOfResult, type ScanView } from '@/features/scanning/result/scan-view';
import type { WaitingScan } from '@/features/scanning/offline-queue/waiting-scan';

export const civic: Schemas['Vehicle'] = {
  id: 'vehicle-1',
  make: 'Honda',
  model: 'Civic',
  year: 2015,
  engine: null,
  transmission: null,
  vinNumber: null,
  licensePlate: null,
  isDefault: true,
  createdAt: '2026-01-02T03:04:05Z',
};

export const truck = {
  ...civic,
  id: 'vehicle-2',
  make: 'Ford',
  model: 'F-150',
  year: 2019,
  isDefault: false,
};

export const vinFacts: Schemas['VinFacts'] = {
  vin: '2HGFB2F59FH500123',
  wmi: '2HG',
  checkDigitFits: false,
  country: 'Canada',
  region: 'North America',
  description: 'FB2F5',
  make: 'Honda',
  manufacturer: 'Honda',
  modelYear: 2015,
  otherModelYear: null,
  models: ['Civic'],
  plant: 'H',
  serial: '500123',
  warnings: ['The check digit (position 9) is 9, but 3 would fit.'],
  details: {
    series: null,
    trim: 'EX',
    body: 'Sedan',
    doors: 4,
    engine: '1.8L 4-cyl',
    engineCode: 'R18Z1',
    cylinders: 4,
    displacement: 1.8,
    fuel: 'Gasoline',
    secondFuel: null,
    power: { value: 143, source: 'epa' },
    drive: { value: 'Front-Wheel Drive', source: 'epa' },
    transmission: { value: 'Automatic', source: 'vpic' },
    builtIn: 'Alliston, Ontario, Canada',
    restraint: null,
  },
};

export const oilChange: Schemas['OilChange'] = {
  id: 'oil-1',
  vehicleId: 'vehicle-1',
  mileage: 52_000,
  oilType: '0W-20',
  oilBrand: null,
  filterBrand: null,
  changeDate: '2026-03-05',
  createdAt: '2026-03-05T10:00:00Z',
};

export const repair: Schemas['Repair'] = {
  id: 'repair-1',
  vehicleId: 'vehicle-1',
  mileage: 48_210,
  partReplaced: 'Alternator',
  repairDate: '2025-03-05',
  createdAt: '2025-03-05T10:00:00Z',
  vehicle: { year: 2015, make: 'Honda', model: 'Civic' },
};

export const engineOil: Schemas['MaintenanceItem'] = {
  item: 'engine-oil',
  name: 'Oil change',
  intervalMonths: 3,
  intervalMiles: 5000,
  ownInterval: false,
  scheduled: true,
  basis: null,
  lastDoneOn: '2026-03-05',
  lastDoneMileage: 52_000,
  dueOn: '2026-06-05',
  dueMileage: 57_000,
  projectedOn: null,
  dueDate: '2026-06-05',
  daysLeft: 10,
  state: 'due_soon',
  snoozedUntil: null,
};

export const ada: Schemas['User'] = {
  id: 'user-1',
  email: 'ada@example.org',
  firstName: 'Ada',
  lastName: 'Byron',
  profileImageUrl: null,
  planType: 'basic',
  createdAt: '2026-01-02T03:04:05Z',
  termsAccepted: true,
  emailVerified: true,
  hasPassword: true,
};

export const freePlan: Schemas['SubscriptionStatus'] = {
  plan: 'Free',
  paidPlan: null,
  scansRemaining: 1,
  currentPeriodEnd: null,
  cancelAtPeriodEnd: false,
  status: 'active',
  canManage: false,
  canCancel: false,
  interval: null,
  cancellationRequested: false,
  ordered: null,
};

/** Paid for by the month, and the last payment went through. */
export const proPlan: Schemas['SubscriptionStatus'] = {
  ...freePlan,
  plan: 'Pro',
  paidPlan: 'Pro',
  scansRemaining: null,
  currentPeriodEnd: 1_798_761_600,
  canManage: true,
  canCancel: true,
  interval: 'month',
};

/** What a language model may be asked to fill in. */
export const askable: Schemas['AiFill'] = {
  status: 'askable',
  label: null,
  model: null,
  filledAt: null,
  reason: null,
  mayRemove: false,
};

/** What it has filled in. */
export const filled: Schemas['AiFill'] = {
  ...askable,
  status: 'filled',
  label: 'AI, verify',
  model: 'eye-1',
  filledAt: '2027-01-15T12:00:00Z',
  mayRemove: true,
};

export function supplier(
  facts: Partial<Schemas['Supplier']> & { name: string },
): Schemas['Supplier'] {
  return {
    price: null,
    listedPrice: facts.price ?? null,
    currency: facts.price == null ? null : 'USD',
    isBestPrice: false,
    isEstimate: false,
    priceNote: null,
    source: 'price-list',
    sourceName: facts.name,
    asOf: '2026-01-02T03:04:05Z',
    fits: null,
    inStock: null,
    rating: null,
    phone: null,
    website: `https://${facts.name.toLowerCase().replace(/\W/g, '')}.example/`,
    vehicleSpecificUrl: null,
    shippingInfo: null,
    warrantyInfo: null,
    notes: null,
    partNumber: null,
    ...facts,
  };
}

export const rotorResult: Schemas['ScanResult'] = {
  id: 'scan-1',
  verdict: 'identified',
  identification: {
    partName: 'Brake Rotor',
    label: 'brake-rotor',
    category: 'brake',
    confidence: 0.94,
    knownScore: 0.97,
    description: 'The disc that the pads squeeze.',
    installationVideos: [
      {
        title: 'Front rotors on a Civic',
        description: 'Shows the bracket coming off.',
        difficultyLevel: 'intermediate',
        estimatedDuration: '18 min',
        searchQuery: '2015 Honda Civic brake rotor',
      },
    ],
    purchaseRecommendations: {
      searchTips: ['Measure the diameter.'],
      recommendedSuppliers: ['NAPA', 'Corner Garage'],
      priceRange: '$35 - $120',
      commonIssues: ['Rust on the hub.'],
    },
  },
  identifiedPart: {
    id: 'brake-rotor',
    name: 'Brake Rotor',
    category: 'brake',
    position: 'front-brake',
    description: 'The disc that the pads squeeze.',
    averagePrice: 77.5,
    installationInstructions: '1. Raise the car.\n2. Take off the wheel.',
    safetyReminder: 'The disc is heavy; mind your toes.',
    toolsRequired: '["Jack", "17 mm socket"]',
    difficulty: 'hard',
    estimatedTime: '2 hours',
    ai: null,
  },
  alternatives: [
    { label: 'clutch-disc', name: 'Clutch Disc', category: 'transmission', confidence: 0.04 },
    { label: 'rim', name: 'Rim', category: 'body', confidence: 0.01 },
  ],
  rolledUp: null,
  candidateSet: null,
  tellingApart: [],
  vehicleDoubts: [],
  suppliers: [],
  vehicle: { year: 2015, make: 'Honda', model: 'Civic' },
  photoCount: 1,
  photos: [],
  scannedAt: '2026-11-21T09:30:00Z',
  timingsMs: { decode: 3, preprocess: 1, queue: 0, inference: 8, judge: 0, total: 12.4 },
  receipt: {
    model: 'partsight-50',
    modelVersion: '1.0.0',
    modelSha256: '00',
    provider: 'CPU',
    identifiedConfidence: 0.6,
    identifiedKnownScore: 0.5,
    notAPartBelow: 0.05,
    categoryConfidence: 0.65,
    feedbackTemperature: null,
    lacksTaughtParts: false,
    photoLeftMachine: false,
    catalogVersion: null,
    verdictPath: 'local',
    notJudged: 'sure',
    judgement: null,
    judgeModel: null,
    reusedSimilarity: null,
    costMicroDollars: 0,
    inputTokens: 0,
    outputTokens: 0,
    photoSentTo: null,
  },
};

/** The same answer as the history keeps it. */
export function rotorScan(facts: Partial<Schemas['RecentScan']> = {}): Schemas['RecentScan'] {
  const { identifiedPart: part, ...result } = rotorResult;
  return {
    ...result,
    part,
    partId: part.id,
    confidence: result.identification.confidence,
    thumbnailUrl: null,
    photoUrl: null,
    feedback: null,
    ...facts,
  };
}

export function foundPart(facts: Partial<Schemas['FoundPartItem']> = {}): Schemas['FoundPartItem'] {
  return {
    id: 'brake-caliper',
    kind: 'type',
    label: 'brake-caliper',
    name: 'Brake Caliper',
    category: 'brake',
    number: null,
    brand: null,
    via: null,
    modelKnows: true,
    score: 1,
    ...facts,
  };
}

/** A part type that the model knows. */
export function partType(
  facts: Partial<Schemas['TaughtPartType']> = {},
): Schemas['TaughtPartType'] {
  return {
    id: 'brake-rotor',
    name: 'Brake Rotor',
    category: 'brake',
    position: 'front-brake',
    isShared: false,
    isOwn: true,
    lookAlikes: [],
    modelKnows: true,
    references: [],
    ...facts,
  };
}

export const rotorView: ScanView = viewOfResult(rotorResult);

export const notSureView: ScanView = {
  ...rotorView,
  id: 'scan-2',
  verdict: 'not-sure',
  identification: { ...rotorView.identification, confidence: 0.41 },
  alternatives: [
    { label: 'clutch-disc', name: 'Clutch Disc', category: 'transmission', confidence: 0.38 },
    { label: 'rim', name: 'Rim', category: 'body', confidence: 0.03 },
  ],
  tellingApart: [
    {
      between: ['brake-rotor', 'clutch-disc'],
      names: ['Brake Rotor', 'Clutch Disc'],
      view: 'face',
      sentence: 'A clutch disc has splines in its hub; a rotor has a ring of lug holes.',
    },
  ],
};

/** Not sure which brake part, but sure enough that it is one. */
export const tieView: ScanView = {
  ...rotorView,
  id: 'scan-3',
  verdict: 'not-sure',
  identification: { ...rotorView.identification, confidence: 0.46 },
  alternatives: [
    { label: 'rim', name: 'Rim', category: 'body', confidence: 0.3 },
    { label: 'brake-drum', name: 'Brake Drum', category: 'brake', confidence: 0.2 },
    { label: 'brake-pad', name: 'Brake Pad', category: 'brake', confidence: 0.03 },
    { label: 'radio', name: 'Radio', category: 'electrical', confidence: 0.001 },
  ],
  rolledUp: { category: 'brake', name: 'Brake System', confidence: 0.69 },
};

/** Not sure, but it is one of two. */
export const oneOfTwoView: ScanView = {
  ...notSureView,
  id: 'scan-5',
  identification: { ...notSureView.identification, knownScore: 0.9 },
  candidateSet: {
    reason: 'measured',
    coverage: 0.95,
    labels: [
      {
        label: 'brake-rotor',
        name: 'Brake Rotor',
        category: 'brake',
        confidence: 0.41,
        shopParts: [],
      },
      {
        label: 'clutch-disc',
        name: 'Clutch Disc',
        category: 'transmission',
        confidence: 0.38,
        shopParts: [],
      },
    ],
  },
};

/** Not sure, and helped by what a vision-LLM said. */
export const judgedView: ScanView = {
  ...notSureView,
  id: 'scan-4',
  receipt: {
    ...rotorResult.receipt,
    verdictPath: 'llm',
    notJudged: null,
    judgeModel: 'eye-1',
    judgement: {
      label: 'clutch-disc',
      statedConfidence: 0.9,
      evidence: 'Splined hub in the centre.',
      partNumbers: ['31250-0K205'],
      betterPhoto: 'Photograph the hub from the front.',
    },
    costMicroDollars: 2100,
    inputTokens: 1830,
    outputTokens: 96,
    photoLeftMachine: true,
    photoSentTo: 'api.example.com',
  },
};

/** A model of a few classes whose thresholds are easy to reason about. */
export function browserModel({ classes }: { classes: string[] }): Schemas['BrowserModelFacts'] {
  return {
    name: 'test-model',
    version: '1.0.0',
    url: '/api/model/00',
    sha256: '00',
    sizeBytes: 1,
    input: { name: 'image', width: 32, height: 32, mean: [0.5, 0.5, 0.5], std: [0.25, 0.25, 0.25] },
    resize: { mode: 'squash', filter: 'bilinear', through: null, shortestSide: null, pad: null },
    classes: classes.map((label) => ({ label, name: label })),
    outputs: { logits: 'logits', known: 'known' },
    calibration: { temperature: 1, knownScale: 1, knownBias: 0 },
    secondLook: null,
    thresholds: { notAPartBelow: 0.2, identifiedKnownScore: 0.8, identifiedConfidence: 0.9 },
    sets: null,
  };
}

/** A photograph that waits in the browser of Ada. */
export const waitingScan: WaitingScan = {
  id: 'waiting-1',
  userId: ada.id,
  vehicle: { id: civic.id, make: civic.make, model: civic.model, year: civic.year },
  photos: [{ bytes: new TextEncoder().encode('pixels').buffer, type: 'image/jpeg', name: 'a.jpg' }],
  takenAt: Date.UTC(2026, 10, 22, 9, 30),
  guess: { verdict: 'identified', label: 'brake-rotor', name: 'Brake Rotor', confidence: 0.91 },
  refusal: null,
};

/** The part of the shop that a number on the part names. */
export const readPart: Schemas['ScanReadPart'] = {
  says: 'named',
  read: '0986479R51',
  isExact: true,
  source: 'shop',
  partId: 'part-7',
  label: 'brake-rotor',
  typeName: 'Brake Rotor',
  number: '0986479R51',
  brand: 'Bosch',
  name: 'Front rotor, 280 mm',
  via: null,
};

/** One of several parts on a photo. */
export const rimRegion: Schemas['ScanRegion'] = {
  number: 1,
  area: { left: 0.1, top: 0.2, width: 0.3, height: 0.4 },
  verdict: 'identified',
  label: 'rim',
  partName: 'Rim',
  confidence: 0.91,
  knownScore: 0.9,
  alternatives: [],
  correctedLabel: null,
  correctedName: null,
  category: 'body',
};
