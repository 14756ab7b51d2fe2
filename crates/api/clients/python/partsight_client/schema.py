"""Bodies of the API. Written by `make generate` out of the OpenAPI document; do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class AccountExport(TypedDict):
    apiKeys: list[ApiKey]
    batches: list[ExportedBatch]
    billing: ExportedBilling | None
    company: ExportedMembership | None
    confirmedScansTeach: bool | None
    contactMessages: list[ExportedMessage]
    crossReferences: list[CrossReferenceList]
    emailVerifiedAt: str | None
    evaluations: list[Evaluation]
    fills: list[FillUsage]
    gradeScale: list[str] | None
    judgeAllowed: bool | None
    judgeDayMicroDollars: int | None
    judgeMonthMicroDollars: int | None
    lookAlikes: list[ExportedLookAlike]
    maintenanceItems: list[ExportedMaintenance]
    maxWrongPercent: float | None
    odometerReadings: list[ExportedReading]
    oilChanges: list[OilChange]
    parts: list[ShopPart]
    priceLists: list[PriceList]
    pushSubscriptions: list[PushSubscription]
    refitCalibration: bool | None
    reminderMails: ReminderMails
    repairs: list[Repair]
    scans: list[ExportedScan]
    sessions: list[Session]
    signInProviders: list[str]
    taughtParts: list[TaughtPartType]
    termsAcceptedAt: str | None
    termsVersion: str | None
    usage: list[UsageRow]
    user: User
    vehicles: list[ExportedVehicle]
    webhooks: list[Webhook]
    writtenGuides: list[IdentifiedPart]


class AiFill(TypedDict):
    filledAt: str | None
    label: str | None
    mayRemove: bool
    model: str | None
    reason: str | None
    status: AiFillStatus


AiFillStatus: TypeAlias = Literal["filled", "not-known", "askable", "not-asked"]


class Alert(TypedDict):
    daysDue: NotRequired[int | None]
    daysOverdue: NotRequired[int | None]
    dueDate: str
    id: str
    item: str
    message: str
    title: str
    type: str
    vehicleId: str
    vehicleName: str


class Alternative(TypedDict):
    category: PartCategory | None
    confidence: float
    label: str
    name: str


class ApiKey(TypedDict):
    createdAt: str
    expiresAt: str | None
    id: str
    lastUsedAt: str | None
    name: str
    prefix: str
    scopes: list[KeyScope]


class ApiKeyForm(TypedDict):
    expiresAt: NotRequired[str | None]
    name: str
    scopes: list[str]


class ArrangedItem(TypedDict):
    groupedBy: NotRequired[ItemGrouper | None]
    photos: list[str]


class ArrangedItems(TypedDict):
    items: list[ArrangedItem]


class AskedVinFacts(TypedDict):
    body: str | None
    cylinders: int | None
    displacement: str | None
    drivetrain: str | None
    fuelType: str | None
    make: str | None
    model: str | None
    modelYear: int | None
    remark: str | None
    transmission: str | None
    trim: str | None


class Batch(TypedDict):
    counts: BatchProgress
    createdAt: str
    id: str
    name: str
    readText: bool
    reason: str | None
    state: BatchState
    vehicleId: str | None


class BatchAnswer(TypedDict):
    confidence: float
    feedback: ScanFeedback | None
    id: str
    label: str
    partName: str
    photoUrl: str | None
    thumbnailUrl: str | None
    verdict: ScanVerdict


class BatchFolder(TypedDict):
    path: str


class BatchGroup(TypedDict):
    answer: GroupAnswer | None
    id: str
    photos: list[GroupedPhoto]
    proposed: bool


class BatchItem(TypedDict):
    discarded: bool
    duplicateOf: str | None
    file: str
    grade: ScanGrade | None
    group: BatchGroup | None
    groupedBy: ItemGrouper | None
    id: str
    key: str
    problem: str | None
    scan: BatchAnswer | None
    state: ItemState


class BatchItemsPage(TypedDict):
    items: list[BatchItem]
    next: str | None


class BatchPhotosForm(TypedDict):
    key: NotRequired[list[str] | None]
    photo: NotRequired[list[str]]
    zip: NotRequired[str | None]


class BatchProgress(TypedDict):
    answered: int
    cancelled: int
    duplicate: int
    failed: int
    notAPart: int
    running: int
    total: int
    waiting: int


BatchState: TypeAlias = Literal["open", "running", "done", "stopped", "cancelled"]


class BatchType(TypedDict):
    count: int
    label: str
    name: str


class BatchTypes(TypedDict):
    types: list[BatchType]


class BatchUploadReport(TypedDict):
    added: int
    duplicates: int
    known: int
    leftOut: int
    photos: list[UploadedPhoto]
    seenBefore: int


class BrowserModelCalibration(TypedDict):
    knownBias: float
    knownScale: float
    temperature: float


class BrowserModelClass(TypedDict):
    label: str
    name: str


class BrowserModelFacts(TypedDict):
    calibration: BrowserModelCalibration
    classes: list[BrowserModelClass]
    input: BrowserModelInput
    name: str
    outputs: BrowserModelOutputs
    resize: BrowserModelResize
    secondLook: BrowserModelSecondLook | None
    sets: BrowserModelSets | None
    sha256: str
    sizeBytes: int
    thresholds: BrowserModelThresholds
    url: str
    version: str


class BrowserModelInput(TypedDict):
    height: int
    mean: list[float]
    name: str
    std: list[float]
    width: int


class BrowserModelOutputs(TypedDict):
    known: str
    logits: str


class BrowserModelResize(TypedDict):
    filter: str
    mode: str
    pad: int | None
    shortestSide: int | None
    through: int | None


class BrowserModelSecondLook(TypedDict):
    confidenceBelow: float
    knownBias: float
    knownScale: float
    knownScoreBelow: float
    logitScale: float
    views: list[BrowserModelView]


class BrowserModelSets(TypedDict):
    coverage: float
    probability: float


class BrowserModelThresholds(TypedDict):
    identifiedConfidence: float
    identifiedKnownScore: float
    notAPartBelow: float


class BrowserModelView(TypedDict):
    centre: float
    mirrored: bool


class CalendarAddress(TypedDict):
    path: str
    url: str | None


class CalendarStatus(TypedDict):
    createdAt: str | None


CalibrationDoubt: TypeAlias = Literal["too-few-wrong", "out-of-range"]


CalibrationOutcome: TypeAlias = Literal["changed", "kept", "too-few"]


class CalibrationQuality(TypedDict):
    ece: float
    identified: int
    identifiedWrong: int
    logLoss: float


class CandidateSet(TypedDict):
    coverage: float | None
    labels: list[SetCandidate]
    reason: SetReason


CarQueryAnswer: TypeAlias = "list[DatabaseMake] | list[DatabaseModel] | list[DatabaseSpec]"


class Catalog(TypedDict):
    modelSha256: str
    reembedding: Reembedding
    references: int
    usable: int
    withoutPicture: list[PartPhoto]


class CatalogDiagnosis(TypedDict):
    confusions: list[PartConfusion]
    copies: list[PhotoCopy]
    examined: int
    judged: int
    lonely: list[LonelyPart]
    lookAlikes: list[list[NamedPart]]
    nCopies: int
    nOutliers: int
    ofOtherModel: int
    outliers: list[PhotoOutlier]
    references: int
    right: int


class CategoryPart(TypedDict):
    description: str
    difficultyLevel: PartDifficulty
    estimatedTime: str
    id: str
    installationInstructions: str
    modelKnows: bool
    name: str
    position: PartPosition
    requiredTools: list[str]
    safetyReminder: str
    unfitReason: str | None


class ChangePassword(TypedDict):
    currentPassword: NotRequired[str | None]
    endKeys: NotRequired[bool]
    newPassword: str


class Check(TypedDict):
    detail: str
    milliseconds: float
    name: str
    ok: bool
    required: bool


class Company(TypedDict):
    createdAt: str
    description: str | None
    id: str
    logo: str | None
    name: str
    ownerId: str


class CompanyForm(TypedDict):
    description: NotRequired[str | None]
    logo: NotRequired[str | None]
    name: str


class CompanyMember(TypedDict):
    displayName: str
    email: str
    expiresAt: str | None
    id: str
    joinedAt: str | None
    pending: bool
    role: Role
    user: MemberAccount | None
    userId: str | None


class Complaint(TypedDict):
    components: str
    crash: bool
    filedOn: str | None
    fire: bool
    number: int
    summary: str | None


class ComponentComplaints(TypedDict):
    component: str
    count: int


class Confirmation(TypedDict):
    password: NotRequired[str | None]


class ConfusedLabels(TypedDict):
    count: int
    guess: str
    label: str


class ContactMessage(TypedDict):
    elapsedMs: NotRequired[int | None]
    email: str
    message: str
    name: str
    subject: NotRequired[str | None]
    website: NotRequired[str]


class CorrectedLine(TypedDict):
    line: int
    text: str


class CoverageAtRisk(TypedDict):
    answered: int
    confidence: float | None
    high: float | None
    low: float | None
    maxWrong: float
    total: int
    wrong: int


class CreatedApiKey(TypedDict):
    createdAt: str
    expiresAt: str | None
    id: str
    key: str
    lastUsedAt: str | None
    name: str
    prefix: str
    scopes: list[KeyScope]


class Credentials(TypedDict):
    email: str
    password: str


class CrossReferenceForm(TypedDict):
    delimiter: NotRequired[str | None]
    dryRun: NotRequired[bool | None]
    file: str
    mapping: NotRequired[str | None]
    name: str
    skipErrors: NotRequired[bool | None]


CrossReferenceLink: TypeAlias = Literal["equal", "newer", "older"]


class CrossReferenceList(TypedDict):
    deletedAt: str | None
    id: str
    name: str
    publishedAt: str
    rows: int


class CrossReferencePreview(TypedDict):
    brand: str | None
    number: str
    otherBrand: str | None
    otherNumber: str
    relation: CrossReferenceRelation
    row: int


class CrossReferenceProblem(TypedDict):
    field: str
    message: str
    row: int


CrossReferenceRelation: TypeAlias = Literal["equals", "replaces"]


class CrossReferenceReport(TypedDict):
    accepted: int
    columns: dict[str, str]
    delimiter: str | None
    errors: int
    id: str | None
    ignoredColumns: list[str]
    name: str
    preview: list[CrossReferencePreview]
    problems: list[CrossReferenceProblem]
    replaced: bool
    rows: int
    saved: bool


class CrossReferenceTo(TypedDict):
    brand: str | None
    link: CrossReferenceLink
    number: str
    ofBrand: str | None
    ofNumber: str


class DatabaseMake(TypedDict):
    country: str | None
    id: str
    name: str


class DatabaseModel(TypedDict):
    body: str | None
    id: str
    name: str


class DatabaseSpec(TypedDict):
    cylinders: int | None
    displacement: float | None
    drivetrain: str | None
    engine: str
    fuelType: str
    id: str
    power: int | None
    torque: float | None
    transmission: str | None


class DeletedCompany(TypedDict):
    invitationsWithdrawn: int
    membersRemoved: int


class DeletedVehicle(TypedDict):
    defaultVehicle: Vehicle | None
    maintenanceItems: int
    odometerReadings: int
    oilChanges: int
    ownOil: bool
    repairs: int


DeliveryState: TypeAlias = Literal["waiting", "delivered", "dead"]


class Dial(TypedDict):
    choices: list[DialChoice]
    confidenceIsFitted: bool
    identifiedConfidence: float
    maxWrongPercent: float | None
    mayChange: bool
    measuredOn: str | None
    modelIdentifiedConfidence: float
    rule: str


class DialChoice(TypedDict):
    answeredLocally: float | None
    answeredWrong: int | None
    errorUpperBound: float
    identifiedConfidence: float
    inForce: bool
    isGuaranteed: bool
    isModelsOwn: bool
    judgeMicroDollarsPer1000Scans: int | None
    maxWrongPercent: float
    n: int
    toJudge: float | None


class DialDecision(TypedDict):
    maxWrongPercent: float | None


DigestRhythm: TypeAlias = Literal["daily", "weekly"]


class DiscardItems(TypedDict):
    discarded: bool
    items: list[str]


class DiscardScans(TypedDict):
    discarded: bool
    scans: list[str]


class Drift(TypedDict):
    at: list[float]
    confidence: ScoreShift | None
    days: int
    embedding: EmbeddingShift | None
    knownScore: ScoreShift | None
    leastScans: int
    lookedAt: str
    scans: int


class EmbeddingShift(TypedDict):
    earlierScans: int
    isAlert: bool
    mmdSquared: float
    pValue: float
    scans: int


class Evaluation(TypedDict):
    createdAt: str
    done: int
    endedAt: str | None
    id: str
    known: int | None
    model: str | None
    name: str
    photos: int
    problem: str | None
    report: EvaluationReport | None
    right: int | None
    startedAt: str | None
    state: EvaluationState


class EvaluationComparison(TypedDict):
    difference: float | None
    high: float | None
    low: float | None
    onlyOther: int
    onlyThis: int
    pValue: float
    photos: int


class EvaluationFailure(TypedDict):
    path: str
    reason: str


class EvaluationFolder(TypedDict):
    name: NotRequired[str | None]
    path: str


class EvaluationForm(TypedDict):
    name: NotRequired[str | None]
    zip: str


class EvaluationMistake(TypedDict):
    confidence: float
    guess: str
    isOfUnknownLabel: bool
    label: str
    path: str
    picture: str | None


class EvaluationReport(TypedDict):
    confusions: list[ConfusedLabels]
    coverage: list[CoverageAtRisk]
    ece: float | None
    eceByChance: float | None
    failureCount: int
    failures: list[EvaluationFailure]
    labels: list[LabelFigures]
    lookalikeCount: int
    mistakeCount: int
    mistakes: list[EvaluationMistake]
    modelSha256: str
    noneOfThese: Proportion
    notices: list[str]
    rejectAuroc: float | None
    slices: list[EvaluationSlice]
    thresholds: list[ThresholdOutcome]
    top1: Proportion
    top1WithLikelyLabels: float | None
    top5: Proportion
    unknownLabelCount: int
    unknownLabels: list[UnknownLabelFigures]
    unlikelyLabelCount: int
    unlikelyLabels: list[UnlikelyLabel]
    wrongLabelCount: int


class EvaluationSlice(TypedDict):
    dimension: str
    isWorse: bool
    others: Proportion
    right: Proportion
    value: str


EvaluationState: TypeAlias = Literal["receiving", "waiting", "running", "done", "failed", "cancelled"]


EventKind: TypeAlias = Literal["scan.answered", "batch.finished", "batch.stopped", "batch.item-failed", "reminder.due"]


class ExportedBatch(TypedDict):
    counts: BatchProgress
    createdAt: str
    id: str
    items: list[ExportedBatchItem]
    name: str
    readText: bool
    reason: str | None
    state: BatchState
    vehicleId: str | None


class ExportedBatchItem(TypedDict):
    file: str
    group: str | None
    isDiscarded: bool
    key: str
    scanId: str | None
    state: str


class ExportedBilling(TypedDict):
    cancellationsRequestedAt: list[str]
    customerId: str | None
    subscription: ExportedSubscription | None


class ExportedCandidate(TypedDict):
    confidence: float
    label: str


class ExportedLookAlike(TypedDict):
    markedAt: str
    parts: list[str]


class ExportedMaintenance(TypedDict):
    enabled: bool
    intervalMiles: int | None
    intervalMonths: int | None
    item: str
    lastDoneMileage: int | None
    lastDoneOn: str | None
    name: str | None
    snoozedUntil: str | None
    vehicleId: str


class ExportedMembership(TypedDict):
    createdAt: str
    description: str | None
    id: str
    logo: str | None
    name: str
    ownerId: str
    role: Role


class ExportedMessage(TypedDict):
    email: str
    message: str
    name: str
    sentAt: str
    subject: str | None


class ExportedPersonalData(TypedDict):
    apiKeys: list[ApiKey]
    company: ExportedMembership | None
    confirmedScansTeach: bool | None
    contactMessages: list[ExportedMessage]
    crossReferences: list[CrossReferenceList]
    fills: list[FillUsage]
    gradeScale: list[str] | None
    judgeAllowed: bool | None
    judgeDayMicroDollars: int | None
    judgeMonthMicroDollars: int | None
    lookAlikes: list[ExportedLookAlike]
    maxWrongPercent: float | None
    priceLists: list[PriceList]
    refitCalibration: bool | None
    taughtParts: list[TaughtPartType]
    usage: list[UsageRow]
    writtenGuides: list[IdentifiedPart]


class ExportedReading(TypedDict):
    mileage: int
    on: str
    vehicleId: str


class ExportedRegion(TypedDict):
    area: RegionArea
    confidence: float
    correctedLabel: str | None
    label: str
    verdict: str


class ExportedScan(TypedDict):
    alternatives: list[ExportedCandidate]
    confidence: float
    feedback: str | None
    grade: ScanGrade | None
    id: str
    label: str
    model: str
    photoCount: int
    photoUrl: str | None
    regions: list[ExportedRegion]
    rightLabel: str | None
    scannedAt: str
    text: list[str]
    thumbnailUrl: str | None
    vehicle: VehicleSummary | None
    verdict: str


class ExportedSubscription(TypedDict):
    cancelAtPeriodEnd: bool
    currentPeriodEnd: str
    id: str
    interval: Interval
    plan: PlanType
    status: StatusName


class ExportedVehicle(TypedDict):
    createdAt: str
    engine: str | None
    id: str
    isDefault: bool
    licensePlate: str | None
    make: str
    model: str
    oil: VehicleOil | None
    transmission: str | None
    vinNumber: str | None
    year: int


FeedbackAnswer: TypeAlias = Literal["right", "other-part", "not-a-part"]


class FeedbackCounts(TypedDict):
    notAPart: int
    otherPart: int
    right: int


class FillUsage(TypedDict):
    costMicros: int
    day: str
    kind: str
    questions: int


class FinishedItem(TypedDict):
    basis: str | None
    daysLeft: int | None
    dueDate: str | None
    dueMileage: int | None
    dueOn: str | None
    intervalMiles: int | None
    intervalMonths: int | None
    item: str
    lastDoneMileage: int | None
    lastDoneOn: str | None
    name: str
    ownInterval: bool
    projectedOn: str | None
    scheduled: bool
    snoozedUntil: str | None
    state: str
    warnings: list[Warning]


class FitNotes(TypedDict):
    compare: list[str]
    notes: list[str]


class FittedCalibration(TypedDict):
    after: CalibrationQuality | None
    attemptedAt: str
    before: CalibrationQuality | None
    doubt: CalibrationDoubt | None
    n: int
    outcome: CalibrationOutcome
    temperature: float | None


class ForgotPassword(TypedDict):
    email: str


class FoundPartItem(TypedDict):
    brand: str | None
    category: PartCategory
    id: str
    kind: FoundPartKind
    label: str
    modelKnows: bool
    name: str
    number: str | None
    score: float
    via: CrossReferenceTo | None


FoundPartKind: TypeAlias = Literal["type", "part"]


class GivenScanFeedback(TypedDict):
    feedback: ScanFeedback
    notTaught: str | None


class GradeScale(TypedDict):
    grades: list[str]


class GradeTotal(TypedDict):
    count: int
    day: str
    grade: str
    label: str
    partName: str
    person: str | None
    personId: str | None


class GroupAnswer(TypedDict):
    confidence: float
    label: str
    partName: str
    verdict: ScanVerdict


class GroupedPhoto(TypedDict):
    file: str
    id: str
    scan: BatchAnswer | None


class Health(TypedDict):
    model: str
    status: str
    version: str


class Identification(TypedDict):
    category: PartCategory | None
    confidence: float
    description: str
    installationVideos: list[InstallationVideo]
    knownScore: float
    label: str
    partName: str
    purchaseRecommendations: PurchaseRecommendations


class IdentifiedPart(TypedDict):
    ai: AiFill | None
    averagePrice: float | None
    category: PartCategory | None
    description: str
    difficulty: PartDifficulty
    estimatedTime: str
    id: str
    installationInstructions: str
    name: str
    position: PartPosition | None
    safetyReminder: str
    toolsRequired: str


class ImportResult(TypedDict):
    dateOrder: str | None
    duplicates: int
    errors: int
    format: str
    ignoredColumns: list[str]
    new: int
    notes: list[str]
    rows: list[ImportRow]
    saved: bool
    skipped: int


class ImportRow(TypedDict):
    message: NotRequired[str]
    row: int
    status: ImportRowStatus


ImportRowStatus: TypeAlias = Literal["new", "duplicate", "skipped", "error"]


class InstallationVideo(TypedDict):
    description: str
    difficultyLevel: VideoDifficulty
    estimatedDuration: str
    searchQuery: str
    title: str


Interval: TypeAlias = Literal["month", "year"]


class Invitation(TypedDict):
    companyName: str
    email: str
    expiresAt: str
    id: str
    invitedBy: str
    inviterEmail: str
    photosGoTo: str | None
    role: Role


class InvitationName(TypedDict):
    id: NotRequired[str | None]
    token: NotRequired[str | None]


class InvitationToken(TypedDict):
    token: str


class InvitedMember(TypedDict):
    displayName: str
    email: str
    expiresAt: str | None
    id: str
    joinedAt: str | None
    link: str | None
    pending: bool
    role: Role
    user: MemberAccount | None
    userId: str | None


ItemGrouper: TypeAlias = Literal["proposal", "person"]


ItemState: TypeAlias = Literal["waiting", "running", "answered", "not-a-part", "failed", "duplicate", "cancelled"]


class Judge(TypedDict):
    allowed: bool
    allowedByCompany: bool | None
    host: str | None
    inPlan: bool
    mayChange: bool
    model: str | None
    onThisMachine: bool
    refusedByYou: bool
    thisMonth: JudgeBudget
    today: JudgeBudget


class JudgeBudget(TypedDict):
    chosenMicroDollars: int | None
    limitMicroDollars: int
    mostMicroDollars: int
    spentMicroDollars: int


class JudgeBudgetDecision(TypedDict):
    dayMicroDollars: int | None
    monthMicroDollars: int | None


class JudgeDecision(TypedDict):
    allowed: bool


KeyScope: TypeAlias = Literal["scan", "catalog", "garage-read", "garage-write", "events"]


class LabelFigures(TypedDict):
    label: str
    precision: Proportion
    recall: Proportion


class Learning(TypedDict):
    calibration: FittedCalibration | None
    confirmedScansTeach: bool
    feedback: FeedbackCounts
    leastFeedback: int
    mayChange: bool
    refitCalibration: bool


class LearningDecision(TypedDict):
    confirmedScansTeach: bool
    refitCalibration: bool


class LonelyPart(TypedDict):
    part: NamedPart
    photo: PartPhoto | None


class LookAlike(TypedDict):
    category: PartCategory
    id: str
    isOwn: bool
    markedAt: str
    name: str
    shopParts: list[ShopPartText]


class MaintenanceDone(TypedDict):
    cost: NotRequired[NumberText | None]
    date: NotRequired[str | None]
    mileage: NumberText
    notes: NotRequired[str | None]


class MaintenanceItem(TypedDict):
    basis: str | None
    daysLeft: int | None
    dueDate: str | None
    dueMileage: int | None
    dueOn: str | None
    intervalMiles: int | None
    intervalMonths: int | None
    item: str
    lastDoneMileage: int | None
    lastDoneOn: str | None
    name: str
    ownInterval: bool
    projectedOn: str | None
    scheduled: bool
    snoozedUntil: str | None
    state: str


class MaintenancePlan(TypedDict):
    items: list[MaintenanceItem]
    odometer: Odometer | None
    vehicleId: str
    vehicleName: str


class MemberAccount(TypedDict):
    email: str
    firstName: str
    id: str
    lastName: str
    profileImageUrl: str | None


class MemberForm(TypedDict):
    role: NotRequired[str | None]
    userEmail: str
    userName: str


class NamedItems(TypedDict):
    items: list[str]


class NamedPart(TypedDict):
    label: str
    name: str


class Names(TypedDict):
    firstName: str
    lastName: str


class NewBatch(TypedDict):
    name: str
    readText: NotRequired[bool]
    vehicleId: NotRequired[str | None]


class NewGrade(TypedDict):
    damage: NotRequired[list[str]]
    grade: str
    note: NotRequired[str]


class NewMaintenanceItem(TypedDict):
    enabled: NotRequired[bool | None]
    intervalMiles: NotRequired[int | None]
    intervalMonths: NotRequired[int | None]
    lastDoneMileage: NotRequired[NumberText | None]
    lastDoneOn: NotRequired[str | None]
    name: NotRequired[str | None]


class NewOilChange(TypedDict):
    changeDate: NotRequired[str | None]
    cost: NotRequired[NumberText | None]
    filterBrand: NotRequired[str | None]
    mileage: NumberText
    notes: NotRequired[str | None]
    oilBrand: NotRequired[str | None]
    oilType: NotRequired[str | None]
    vehicleId: str


class NewOwner(TypedDict):
    userId: str


class NewPartTypeForm(TypedDict):
    acceptCollision: NotRequired[bool | None]
    category: PartCategory
    image: list[str]
    name: str


class NewReading(TypedDict):
    date: NotRequired[str | None]
    mileage: NumberText


class NewReferencesForm(TypedDict):
    acceptCollision: NotRequired[bool | None]
    image: list[str]
    partId: NotRequired[str | None]


class NewRepair(TypedDict):
    cost: NotRequired[NumberText | None]
    mileage: NumberText
    notes: NotRequired[str | None]
    partBrand: NotRequired[str | None]
    partLabel: NotRequired[str | None]
    partNumber: NotRequired[str | None]
    partReplaced: NotRequired[str | None]
    repairDate: NotRequired[str | None]
    scanId: NotRequired[str | None]
    vehicleId: NotRequired[str | None]


class NewScanFeedback(TypedDict):
    answer: FeedbackAnswer
    label: NotRequired[str | None]


class NewShopPart(TypedDict):
    brand: NotRequired[str | None]
    currency: NotRequired[str | None]
    fitments: NotRequired[list[NewShopPartFitment]]
    label: str
    name: NotRequired[str | None]
    notes: NotRequired[str | None]
    number: str
    photos: NotRequired[list[str]]
    price: NotRequired[NumberText | None]


class NewShopPartFitment(TypedDict):
    fits: NotRequired[bool | None]
    make: str
    model: NotRequired[str | None]
    note: NotRequired[str | None]
    yearFrom: NotRequired[NumberText | None]
    yearTo: NotRequired[NumberText | None]


class NewVehicle(TypedDict):
    engine: NotRequired[str | None]
    licensePlate: NotRequired[str | None]
    make: str
    model: str
    transmission: NotRequired[str | None]
    vinNumber: NotRequired[str | None]
    year: NumberText


NumberText: TypeAlias = "float | str"


class Odometer(TypedDict):
    mileage: int
    milesPerDay: float | None
    on: str


class OilChange(TypedDict):
    changeDate: str
    cost: NotRequired[float | None]
    createdAt: str
    filterBrand: str | None
    id: str
    mileage: int
    notes: NotRequired[str | None]
    oilBrand: str | None
    oilType: str | None
    vehicleId: str


class OilSpecs(TypedDict):
    ai: AiFill | None
    basis: OilSpecsBasis
    changeInterval: str
    changeIntervalMiles: int | None
    changeIntervalMonths: int | None
    engine: str | None
    hasOilLifeMonitor: bool
    notes: str
    oilCapacity: str
    oilCapacityQuarts: float | None
    oilFilter: list[str]
    oilType: str
    recommendedBrands: list[str]
    source: ValueSource
    standard: str | None
    verify: str | None


class OilSpecsBasis(TypedDict):
    changeInterval: ValueBasis | None
    oilCapacity: ValueBasis | None
    oilFilter: list[ValueBasis]
    oilType: ValueBasis | None
    standard: ValueBasis | None


class OrderedPlan(TypedDict):
    interval: Interval
    plan: PlanName


class OrderedSubscription(TypedDict):
    clientSecret: str | None
    interval: Interval
    message: str
    plan: PlanType
    status: StatusName


PartCategory: TypeAlias = Literal["engine", "brake", "electrical", "suspension", "transmission", "cooling", "exhaust", "fuel", "body"]


class PartConfusion(TypedDict):
    examples: list[list[PartPhoto]]
    parts: list[NamedPart]
    photos: int
    taken: int


PartDifficulty: TypeAlias = Literal["easy", "medium", "hard"]


class PartFits(TypedDict):
    ai: AiFill | None
    notes: FitNotes | None
    parts: list[ShopPart]
    reason: str
    source: str | None
    vehicle: VehicleSummary
    verdict: str


class PartPhoto(TypedDict):
    id: str
    label: str
    thumbnailUrl: str
    typeName: str


PartPosition: TypeAlias = Literal["air-intake", "battery", "belt-drive", "bulkhead", "engine-bay-side", "radiator", "cylinder-head", "engine-block", "exhaust-manifold", "intake-manifold", "oil-pan", "timing-drive", "bell-housing", "drive-axle", "driveshaft", "gearbox", "rear-axle", "transfer-case", "front-brake", "front-suspension", "rear-brake", "rear-suspension", "steering-linkage", "wheel", "wheel-hub", "exhaust-front", "exhaust-rear", "fuel-filler", "fuel-tank", "underbody-lines", "center-console", "dashboard", "heater-box", "pedals", "seat", "steering-column", "traction-battery", "door", "door-mirror", "front-bumper", "front-fender", "front-lights", "hood", "rear-bumper", "rear-lights", "roof", "sill", "tailgate", "windshield", "engine", "brakes", "electrics", "suspension", "drivetrain", "cooling-system", "exhaust-system", "fuel-system", "body"]


class PartRecalls(TypedDict):
    askedFor: VehicleSummary
    fetchedAt: str | None
    recalls: list[Recall]
    state: RecallState
    vehicleRecallCount: int | None


class PartSuppliers(TypedDict):
    sources: list[SupplierSourceStatus]
    suppliers: list[Supplier]


class PartTypeChange(TypedDict):
    category: str
    name: str


class PhotoCopy(TypedDict):
    photos: list[PartPhoto]
    samePart: bool
    similarity: float


class PhotoFinding(TypedDict):
    confidence: float
    isLead: bool
    knownScore: float
    label: str
    name: str
    weight: float


class PhotoOutlier(TypedDict):
    nearest: PartPhoto | None
    photo: PartPhoto
    similarity: float


PhotoView: TypeAlias = Literal["whole", "side", "face", "both-sides", "marking", "connections", "scale"]


class PlanList(TypedDict):
    currency: str
    forSale: bool
    plans: list[PlanOffer]


PlanName: TypeAlias = Literal["Free", "Pro", "Business"]


class PlanOffer(TypedDict):
    benefits: list[str]
    features: list[str]
    monthCents: int
    name: str
    plan: PlanType
    scanLimit: int
    unlimitedScans: bool
    yearCents: int


PlanType: TypeAlias = Literal["basic", "pro", "business"]


class PriceList(TypedDict):
    currency: str
    deletedAt: str | None
    id: str
    name: str
    phone: str | None
    publishedAt: str
    rows: int
    shippingInfo: str | None
    supplier: str
    urlTemplate: str | None
    website: str | None


class PriceListForm(TypedDict):
    currency: NotRequired[str | None]
    decimalSign: NotRequired[str | None]
    delimiter: NotRequired[str | None]
    dryRun: NotRequired[bool | None]
    file: str
    mapping: NotRequired[str | None]
    name: NotRequired[str | None]
    phone: NotRequired[str | None]
    shippingInfo: NotRequired[str | None]
    skipErrors: NotRequired[bool | None]
    supplier: str
    urlTemplate: NotRequired[str | None]
    website: NotRequired[str | None]


class PriceListPreview(TypedDict):
    currency: str
    knownPart: bool
    part: str | None
    partNumber: str | None
    price: float
    row: int


class PriceListProblem(TypedDict):
    field: str
    message: str
    row: int
    severity: ProblemSeverity


class PriceListReport(TypedDict):
    accepted: int
    columns: dict[str, str]
    currencies: dict[str, int]
    decimalSign: str | None
    delimiter: str | None
    errors: int
    id: str | None
    ignoredColumns: list[str]
    name: str
    preview: list[PriceListPreview]
    problems: list[PriceListProblem]
    replaced: bool
    rows: int
    saved: bool
    skipped: int
    supplier: str
    unknownParts: int


class Problem(TypedDict):
    code: str
    detail: str
    field: NotRequired[str | None]
    message: str
    requestId: str
    resembles: NotRequired[ResembledPart | None]
    status: int
    title: str
    type: str


ProblemSeverity: TypeAlias = Literal["error", "skipped", "note"]


class Proportion(TypedDict):
    count: int
    high: float
    low: float
    total: int


class ProposedGroups(TypedDict):
    groups: int


class PublicSettings(TypedDict):
    batchFolders: bool
    externalSignIn: bool
    legalEntity: str
    mail: bool
    maxPhotoBytes: int
    payments: bool
    recalls: bool
    stripePublishableKey: str | None
    supportEmail: str
    vinDecoder: bool
    zeroEgress: bool


class PurchaseRecommendations(TypedDict):
    commonIssues: list[str]
    priceRange: str
    recommendedSuppliers: list[str]
    searchTips: list[str]


class PushNotifications(TypedDict):
    publicKey: str | None
    subscriptions: list[PushSubscription]


class PushSubscription(TypedDict):
    browser: str
    createdAt: str
    id: str


class PushSubscriptionForm(TypedDict):
    auth: str
    endpoint: str
    p256dh: str


class ReactivatedSubscription(TypedDict):
    cancelAtPeriodEnd: bool
    currentPeriodEnd: int
    message: str


ReadNumberSays: TypeAlias = Literal["named", "contradicts", "likely"]


ReadNumberSource: TypeAlias = Literal["shop", "taught", "price-list", "cross-reference"]


ReadTextKind: TypeAlias = Literal["part-number", "brand", "vin", "size", "barcode", "word"]


class Reading(TypedDict):
    date: str
    mileage: int


ReadingProgress: TypeAlias = Literal["off", "not-read", "pending", "read"]


class Ready(TypedDict):
    checks: list[Check]
    status: str


class Recall(TypedDict):
    campaign: str
    component: str
    consequence: str | None
    doNotDrive: bool
    parkOutside: bool
    remedy: str | None
    reportedOn: str | None
    summary: str | None


RecallState: TypeAlias = Literal["current", "old", "away", "off"]


class RecentScan(TypedDict):
    alternatives: list[Alternative]
    candidateSet: CandidateSet | None
    confidence: float
    feedback: ScanFeedback | None
    id: str
    identification: Identification
    part: IdentifiedPart
    partId: str
    photoCount: int
    photoUrl: str | None
    photos: list[PhotoFinding]
    receipt: ScanReceipt
    rolledUp: RolledUp | None
    scannedAt: str
    suppliers: list[Supplier]
    tellingApart: list[TellingApart]
    thumbnailUrl: str | None
    timingsMs: Timings
    vehicle: VehicleSummary | None
    vehicleDoubts: list[VehicleDoubt]
    verdict: ScanVerdict


class Reembedding(TypedDict):
    done: int
    failed: int
    running: bool
    total: int


class ReferenceEngine(TypedDict):
    id: str
    name: str
    transmissions: list[str]


class ReferenceItem(TypedDict):
    id: str
    name: str


class RefusedScan(TypedDict):
    id: str
    reason: str


class RegionArea(TypedDict):
    height: float
    left: float
    top: float
    width: float


class RegionTotal(TypedDict):
    count: int
    label: str
    name: str
    unsureCount: int


RegionVerdict: TypeAlias = Literal["identified", "not-sure", "not-a-part"]


class RegionsForm(TypedDict):
    image: NotRequired[str | None]
    regions: NotRequired[str | None]


class RegionsOfScan(TypedDict):
    changedAt: str | None
    isLookedFor: bool
    regions: list[ScanRegion]
    totals: list[RegionTotal]


class ReminderMails(TypedDict):
    emailVerified: bool
    hourUtc: int | None
    nextAt: str | None
    rhythm: DigestRhythm | None
    sendsMails: bool
    weekdayUtc: int | None


class ReminderMailsForm(TypedDict):
    hourUtc: int
    rhythm: str
    weekdayUtc: NotRequired[int | None]


class Repair(TypedDict):
    cost: NotRequired[float | None]
    createdAt: str
    id: str
    maintenanceItem: NotRequired[str | None]
    mileage: int
    notes: NotRequired[str | None]
    partBrand: NotRequired[str | None]
    partLabel: NotRequired[str | None]
    partNumber: NotRequired[str | None]
    partReplaced: str
    repairDate: str
    vehicle: VehicleSummary
    vehicleId: str


class RequestedCancellation(TypedDict):
    id: str
    message: str
    requestedAt: str


class ResembledPart(TypedDict):
    id: str
    name: str
    photo: int
    shopParts: list[ShopPartText]
    thumbnailUrl: str | None


class Resent(TypedDict):
    count: int


class ResetPassword(TypedDict):
    endKeys: NotRequired[bool]
    password: str
    token: str


Role: TypeAlias = Literal["member", "manager"]


class RoleForm(TypedDict):
    role: str


class RolledUp(TypedDict):
    category: PartCategory
    confidence: float
    name: str


class SavedOilChange(TypedDict):
    changeDate: str
    cost: NotRequired[float | None]
    createdAt: str
    filterBrand: str | None
    id: str
    mileage: int
    notes: NotRequired[str | None]
    oilBrand: str | None
    oilType: str | None
    vehicleId: str
    warnings: list[Warning]


class SavedReading(TypedDict):
    date: str
    mileage: int
    warnings: list[Warning]


class SavedRepair(TypedDict):
    cost: NotRequired[float | None]
    createdAt: str
    id: str
    maintenanceItem: NotRequired[str | None]
    mileage: int
    notes: NotRequired[str | None]
    partBrand: NotRequired[str | None]
    partLabel: NotRequired[str | None]
    partNumber: NotRequired[str | None]
    partReplaced: str
    repairDate: str
    vehicle: VehicleSummary
    vehicleId: str
    warnings: list[Warning]


class ScanAnswer(TypedDict):
    alternatives: list[Alternative]
    candidateSet: CandidateSet | None
    id: str
    identification: Identification
    photoCount: int
    photos: list[PhotoFinding]
    receipt: ScanReceipt
    rolledUp: RolledUp | None
    scannedAt: str
    suppliers: list[Supplier]
    tellingApart: list[TellingApart]
    timingsMs: Timings
    vehicle: VehicleSummary | None
    vehicleDoubts: list[VehicleDoubt]
    verdict: ScanVerdict


class ScanFeedback(TypedDict):
    answer: FeedbackAnswer
    changedAt: str
    label: str | None
    name: str | None
    referenceId: str | None


class ScanForm(TypedDict):
    image: list[str]
    vehicleId: NotRequired[str | None]
    vehicleInfo: NotRequired[str | None]


class ScanGrade(TypedDict):
    damage: list[str]
    grade: str
    gradedAt: str
    note: str


class ScanJudgement(TypedDict):
    betterPhoto: str | None
    evidence: str
    label: str | None
    partNumbers: list[str]
    statedConfidence: float


class ScanLimits(TypedDict):
    limit: int
    remaining: int
    used: int


ScanPath: TypeAlias = Literal["local", "reused", "llm"]


class ScanReadCode(TypedDict):
    fields: list[ScanReadField]
    symbology: str


class ScanReadField(TypedDict):
    id: str
    title: str
    value: str


class ScanReadLine(TypedDict):
    brand: str | None
    code: ScanReadCode | None
    confidence: float
    corners: list[list[float]]
    kind: ReadTextKind
    number: str | None
    photo: int
    readAs: str | None
    text: str


class ScanReadPart(TypedDict):
    brand: str | None
    isExact: bool
    label: str | None
    name: str | None
    number: str
    partId: str | None
    read: str
    says: ReadNumberSays
    source: ReadNumberSource
    typeName: str | None
    via: CrossReferenceTo | None


class ScanReading(TypedDict):
    lines: list[ScanReadLine]
    parts: list[ScanReadPart]
    readAt: str | None
    state: ReadingProgress


class ScanReceipt(TypedDict):
    catalogVersion: str | None
    categoryConfidence: float | None
    costMicroDollars: int
    feedbackTemperature: float | None
    identifiedConfidence: float
    identifiedKnownScore: float
    inputTokens: int
    judgeModel: str | None
    judgement: ScanJudgement | None
    lacksTaughtParts: bool
    model: str
    modelSha256: str
    modelVersion: str
    notAPartBelow: float
    notJudged: str | None
    outputTokens: int
    photoLeftMachine: bool
    photoSentTo: str | None
    provider: str
    reusedSimilarity: float | None
    verdictPath: ScanPath


class ScanRegion(TypedDict):
    alternatives: list[Alternative]
    area: RegionArea
    category: PartCategory | None
    confidence: float
    correctedLabel: str | None
    correctedName: str | None
    knownScore: float
    label: str
    number: int
    partName: str
    verdict: RegionVerdict


class ScanResult(TypedDict):
    alternatives: list[Alternative]
    candidateSet: CandidateSet | None
    id: str
    identification: Identification
    identifiedPart: IdentifiedPart
    photoCount: int
    photos: list[PhotoFinding]
    reading: NotRequired[ScanReading | None]
    receipt: ScanReceipt
    regions: NotRequired[RegionsOfScan | None]
    rolledUp: RolledUp | None
    scannedAt: str
    suppliers: list[Supplier]
    tellingApart: list[TellingApart]
    timingsMs: Timings
    vehicle: VehicleSummary | None
    vehicleDoubts: list[VehicleDoubt]
    verdict: ScanVerdict


ScanVerdict: TypeAlias = Literal["identified", "not-sure"]


class ScansPage(TypedDict):
    hiddenByPlan: int
    next: str | None
    scans: list[RecentScan]


class ScoreShift(TypedDict):
    distance: float
    fitted: list[float]
    isAlert: bool
    isLower: bool
    largestAt: float
    now: list[float]
    pValue: float


class ServerFolder(TypedDict):
    folders: list[str]
    morePhotos: bool
    path: str
    photos: int


class Session(TypedDict):
    browser: str
    createdAt: str
    expiresAt: str
    id: str
    isCurrent: bool
    lastSeenAt: str
    signInMethod: str


class SetCandidate(TypedDict):
    category: PartCategory | None
    confidence: float
    label: str
    name: str
    shopParts: list[ShopPartText]


SetReason: TypeAlias = Literal["measured", "look-alikes"]


class ShopPart(TypedDict):
    brand: str | None
    createdAt: str
    fitments: list[ShopPartFitment]
    id: str
    label: str
    mayChange: bool
    name: str | None
    notes: str | None
    number: str
    ownedBy: ShopPartOwner
    photos: list[ShopPartPhoto]
    price: ShopPartPrice | None
    typeName: str
    updatedAt: str


class ShopPartFitment(TypedDict):
    fits: bool
    make: str
    model: str | None
    note: str | None
    source: str
    yearFrom: int | None
    yearTo: int | None


ShopPartOwner: TypeAlias = Literal["you", "company"]


class ShopPartPhoto(TypedDict):
    id: str
    thumbnailUrl: str


class ShopPartPrice(TypedDict):
    cents: int
    currency: str


class ShopPartText(TypedDict):
    brand: str | None
    id: str
    name: str | None
    notes: str | None
    number: str


class ShopPartsImport(TypedDict):
    changed: int
    errors: int
    format: str
    ignoredColumns: list[str]
    new: int
    rows: list[ShopPartsImportRow]
    saved: bool
    skipped: int
    unchanged: int


class ShopPartsImportRow(TypedDict):
    message: NotRequired[str]
    row: int
    status: ShopPartsImportRowStatus


ShopPartsImportRowStatus: TypeAlias = Literal["new", "changed", "unchanged", "skipped", "error"]


class SignUp(TypedDict):
    email: str
    firstName: NotRequired[str]
    lastName: NotRequired[str]
    password: str


class SimilarPart(TypedDict):
    brand: str | None
    id: str
    label: str
    name: str
    number: str
    price: ShopPartPrice | None
    similarity: float
    thumbnailUrl: str


class Snooze(TypedDict):
    until: str


SourceFailureReason: TypeAlias = Literal["timed-out", "unreachable", "rate-limited", "key-rejected", "server-error", "request-rejected", "answer-too-large", "answer-invalid", "circuit-open", "too-many-questions"]


class StatedNumber(TypedDict):
    source: str
    value: int


class StatedText(TypedDict):
    source: str
    value: str


StatusName: TypeAlias = Literal["active", "trialing", "incomplete", "incomplete_expired", "past_due", "unpaid", "canceled", "paused"]


class SubscriptionOrder(TypedDict):
    interval: str
    plan: str
    price: float


class SubscriptionStatus(TypedDict):
    canCancel: bool
    canManage: bool
    cancelAtPeriodEnd: bool
    cancellationRequested: bool
    currentPeriodEnd: int | None
    interval: Interval | None
    ordered: OrderedPlan | None
    paidPlan: PlanName | None
    plan: PlanName
    scansRemaining: int | None
    status: StatusName


class Supplier(TypedDict):
    asOf: str | None
    currency: str | None
    fits: bool | None
    inStock: bool | None
    isBestPrice: bool
    isEstimate: bool
    listedPrice: float | None
    name: str
    notes: str | None
    partNumber: str | None
    phone: str | None
    price: float | None
    priceNote: str | None
    rating: float | None
    shippingInfo: str | None
    source: SupplierSource
    sourceName: str
    vehicleSpecificUrl: str | None
    warrantyInfo: str | None
    website: str


SupplierSource: TypeAlias = Literal["price-list", "service", "ebay", "retailer"]


class SupplierSourceStatus(TypedDict):
    answered: bool
    asOf: str | None
    cached: bool
    failure: SourceFailureReason | None
    source: SupplierSource


class TaughtPartType(TypedDict):
    category: PartCategory
    id: str
    isOwn: bool
    isShared: bool
    lookAlikes: list[LookAlike]
    modelKnows: bool
    name: str
    position: PartPosition
    references: list[TaughtReference]


class TaughtReference(TypedDict):
    createdAt: str
    id: str
    isOwn: bool
    kind: str
    thumbnailUrl: str


class TaughtScans(TypedDict):
    label: str
    refused: list[RefusedScan]
    taught: list[str]


class TeachScans(TypedDict):
    category: NotRequired[str | None]
    label: NotRequired[str | None]
    name: NotRequired[str | None]
    scans: list[str]


class TellingApart(TypedDict):
    between: list[str]
    names: list[str]
    sentence: str
    view: PhotoView


class ThresholdOutcome(TypedDict):
    answered: int
    confidence: float
    high: float
    low: float
    others: int
    othersAnswered: int
    total: int
    wrong: int


class Timings(TypedDict):
    decode: float
    inference: float
    judge: float
    preprocess: float
    queue: float
    total: float


class UnknownLabelFigures(TypedDict):
    identified: Proportion
    label: str
    notAPart: int
    notSure: int
    takenFor: str | None
    takenForCount: int


class UnlikelyLabel(TypedDict):
    isConfident: bool
    label: str
    labelProbability: float
    likely: str
    likelyProbability: float
    path: str
    picture: str | None


UploadOutcome: TypeAlias = Literal["added", "known", "duplicate"]


class UploadedPhoto(TypedDict):
    duplicateOf: str | None
    id: str
    key: str
    outcome: UploadOutcome


Usage = TypedDict("Usage", {"costMicros": "int", "fills": "list[FillUsage]", "from": "str", "rows": "list[UsageRow]", "scans": "int", "to": "str"})


class UsageRow(TypedDict):
    costMicros: int
    day: str
    keyName: str | None
    path: UsageVerdictPath
    scans: int
    source: str


UsageVerdictPath: TypeAlias = Literal["local", "reused", "llm", "not-a-part", "error"]


class User(TypedDict):
    createdAt: str
    email: str
    emailVerified: bool
    firstName: str
    hasPassword: bool
    id: str
    lastName: str
    planType: PlanType
    profileImageUrl: str | None
    termsAccepted: bool


class ValueBasis(TypedDict):
    basis: str
    confidence: float | None
    source: ValueSource


ValueSource: TypeAlias = Literal["table", "fallback", "owner", "ai", "none"]


class Vehicle(TypedDict):
    createdAt: str
    engine: str | None
    id: str
    isDefault: bool
    licensePlate: str | None
    make: str
    model: str
    transmission: str | None
    vinNumber: str | None
    year: int


class VehicleDoubt(TypedDict):
    confidenceWithoutVehicle: float
    label: str
    name: str
    reason: str


class VehicleOil(TypedDict):
    oilCapacityQuarts: NotRequired[float | None]
    oilFilter: NotRequired[str | None]
    oilType: NotRequired[str | None]


class VehicleRecalls(TypedDict):
    askedFor: VehicleSummary
    complaintCount: int | None
    complaints: list[Complaint]
    complaintsByComponent: list[ComponentComplaints]
    fetchedAt: str | None
    recalls: list[Recall]
    state: RecallState


class VehicleSummary(TypedDict):
    make: str
    model: str
    year: int


class VerifyEmail(TypedDict):
    token: str


VideoDifficulty: TypeAlias = Literal["beginner", "intermediate", "advanced"]


class VinFactDetails(TypedDict):
    body: str | None
    builtIn: str | None
    cylinders: int | None
    displacement: float | None
    doors: int | None
    drive: StatedText | None
    engine: str | None
    engineCode: str | None
    fuel: str | None
    power: StatedNumber | None
    restraint: str | None
    secondFuel: str | None
    series: str | None
    transmission: StatedText | None
    trim: str | None


class VinFacts(TypedDict):
    checkDigitFits: bool
    country: str | None
    description: str
    details: VinFactDetails
    make: str | None
    manufacturer: str | None
    modelYear: int | None
    models: list[str]
    otherModelYear: int | None
    plant: str
    region: str
    serial: str
    vin: str
    warnings: list[str]
    wmi: str


class VinOnPhoto(TypedDict):
    checkDigitFits: bool
    readAs: str
    source: VinPhotoSource
    vin: str


class VinPhotoForm(TypedDict):
    image: str


VinPhotoSource: TypeAlias = Literal["barcode", "text"]


class VinsOnPhoto(TypedDict):
    vins: list[VinOnPhoto]


class Warning(TypedDict):
    code: str
    message: str


class Webhook(TypedDict):
    createdAt: str
    dead: int
    enabled: bool
    events: list[EventKind]
    failingSince: str | None
    id: str
    paused: str | None
    url: str
    waiting: int


class WebhookDelivery(TypedDict):
    attempts: int
    eventId: str
    nextAt: str | None
    payload: dict[str, Any]
    problem: str | None
    state: DeliveryState
    status: int | None
    triedAt: str | None


class WebhookForm(TypedDict):
    enabled: NotRequired[bool | None]
    events: list[str]
    url: str


class WebhookTest(TypedDict):
    delivered: bool
    durationMs: int
    problem: str | None
    status: int | None


class WebhookWithSecret(TypedDict):
    createdAt: str
    dead: int
    enabled: bool
    events: list[EventKind]
    failingSince: str | None
    id: str
    paused: str | None
    secret: str
    url: str
    waiting: int
