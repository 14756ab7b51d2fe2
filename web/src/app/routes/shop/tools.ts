import {
  ArrowRightLeft,
  ChartColumn,
  ClipboardCheck,
  Download,
  Gauge,
  GraduationCap,
  Images,
  KeyRound,
  ListChecks,
  Package,
  ReceiptText,
  UsersRound,
  Webcam,
  Webhook,
  type LucideIcon,
} from 'lucide-react';
import type { ComponentType } from 'react';
import {
  CrossReferenceFigure,
  KeyFigure,
  PriceListFigure,
  ShopPartFigure,
  TaughtFigure,
  TeamFigure,
  UsageFigure,
  WebhookFigure,
} from '@/app/routes/shop/figures';
import { paths } from '@/config/paths';

export type ShopTool = {
  to: string;
  title: string;
  /** What it is for, in a sentence. */
  text: string;
  Icon: LucideIcon;
  /** How much there is of it. */
  Figure?: ComponentType;
};

/** The tools of a shop, as its home lists them. Another tool is one more entry. */
export const SHOP_TOOLS: readonly ShopTool[] = [
  {
    to: paths.bench,
    title: 'Bench',
    text: 'One part after the other under a camera, without a mouse.',
    Icon: Webcam,
  },
  {
    to: paths.batches,
    title: 'Batches',
    text: 'Photos of many parts as one job.',
    Icon: Images,
  },
  {
    to: paths.pastScans,
    title: 'Past Scans',
    text: 'Correct and teach many scans of your history at once.',
    Icon: ListChecks,
  },
  {
    to: paths.shopGrades,
    title: 'Grades',
    text: 'The condition of returns and cores: your scale, and totals.',
    Icon: ClipboardCheck,
  },
  {
    to: paths.catalog,
    title: 'Taught Parts',
    text: 'Parts that the scanner learns from your photos.',
    Icon: GraduationCap,
    Figure: TaughtFigure,
  },
  {
    to: paths.shopParts,
    title: 'Shop Parts',
    text: 'Your part numbers, their prices and the vehicles that they fit.',
    Icon: Package,
    Figure: ShopPartFigure,
  },
  {
    to: paths.priceLists,
    title: 'Price Lists',
    text: 'What your suppliers ask.',
    Icon: ReceiptText,
    Figure: PriceListFigure,
  },
  {
    to: paths.crossReferences,
    title: 'Cross-References',
    text: 'Which part numbers mean one part, and which replace which.',
    Icon: ArrowRightLeft,
    Figure: CrossReferenceFigure,
  },
  {
    to: paths.shopAccuracy,
    title: 'Accuracy',
    text: 'How sure an answer must be, second opinions, and learning from feedback.',
    Icon: Gauge,
  },
  {
    to: paths.shopTeam,
    title: 'Company and Team',
    text: 'Your company and the people who share its plan.',
    Icon: UsersRound,
    Figure: TeamFigure,
  },
  {
    to: paths.shopApiKeys,
    title: 'API Keys',
    text: 'Let programs of your shop scan and read.',
    Icon: KeyRound,
    Figure: KeyFigure,
  },
  {
    to: paths.shopWebhooks,
    title: 'Webhooks',
    text: 'Tell your programs what happens.',
    Icon: Webhook,
    Figure: WebhookFigure,
  },
  {
    to: paths.shopUsage,
    title: 'Usage',
    text: 'Scans of the last 30 days, and what they cost.',
    Icon: ChartColumn,
    Figure: UsageFigure,
  },
  {
    to: paths.shopExports,
    title: 'Exports',
    text: 'Scans, parts and usage as files.',
    Icon: Download,
  },
];
