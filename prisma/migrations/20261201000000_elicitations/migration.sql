-- CreateEnum
CREATE TYPE "ElicitationStatus" AS ENUM ('PENDING', 'APPROVED', 'REJECTED', 'CONSUMED', 'EXPIRED', 'CANCELED');

-- CreateEnum
CREATE TYPE "ElicitationDecision" AS ENUM ('APPROVED', 'REJECTED');

-- AlterTable
ALTER TABLE "session" ADD COLUMN     "elicitation_head" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "elicitation" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "organization_id" UUID,
    "account_number" INTEGER NOT NULL,
    "organization_number" INTEGER,
    "session_id" UUID,
    "session_number" INTEGER,
    "requested_by_id" UUID NOT NULL,
    "asker_id" UUID NOT NULL,
    "idempotency_key" TEXT,
    "content_hash" BYTEA NOT NULL,
    "message" TEXT NOT NULL,
    "status" "ElicitationStatus" NOT NULL DEFAULT 'PENDING',
    "decision" "ElicitationDecision",
    "decided_by_id" UUID,
    "reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "decided_at" TIMESTAMPTZ(3),
    "consumed_at" TIMESTAMPTZ(3),
    "canceled_at" TIMESTAMPTZ(3),

    CONSTRAINT "elicitation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "elicitation_body" (
    "elicitation_id" UUID NOT NULL,
    "context" JSON,
    "requested_schema" JSON,
    "form_submission" JSON,

    CONSTRAINT "elicitation_body_pkey" PRIMARY KEY ("elicitation_id")
);

-- CreateTable
CREATE TABLE "elicitation_head" (
    "scope_id" UUID NOT NULL,
    "head" INTEGER NOT NULL,
    "last_created_at" TIMESTAMPTZ(3) NOT NULL,
    "change_head" INTEGER NOT NULL,

    CONSTRAINT "elicitation_head_pkey" PRIMARY KEY ("scope_id")
);

-- CreateTable
CREATE TABLE "elicitation_transition" (
    "elicitation_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "from" "ElicitationStatus",
    "to" "ElicitationStatus" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "by_id" UUID,
    "account_id" UUID NOT NULL,
    "account_change" INTEGER NOT NULL,
    "organization_id" UUID,
    "organization_change" INTEGER,

    CONSTRAINT "elicitation_transition_pkey" PRIMARY KEY ("elicitation_id","number")
);

-- CreateIndex
CREATE INDEX "elicitation_account_id_status_account_number_idx" ON "elicitation"("account_id", "status", "account_number");

-- CreateIndex
CREATE INDEX "elicitation_organization_id_status_organization_number_idx" ON "elicitation"("organization_id", "status", "organization_number");

-- CreateIndex
CREATE INDEX "elicitation_status_expires_at_idx" ON "elicitation"("status", "expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "elicitation_account_id_account_number_key" ON "elicitation"("account_id", "account_number");

-- CreateIndex
CREATE UNIQUE INDEX "elicitation_organization_id_organization_number_key" ON "elicitation"("organization_id", "organization_number");

-- CreateIndex
CREATE UNIQUE INDEX "elicitation_account_id_created_at_key" ON "elicitation"("account_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "elicitation_organization_id_created_at_key" ON "elicitation"("organization_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "elicitation_session_id_session_number_key" ON "elicitation"("session_id", "session_number");

-- CreateIndex
CREATE UNIQUE INDEX "elicitation_asker_id_idempotency_key_key" ON "elicitation"("asker_id", "idempotency_key");

-- CreateIndex
CREATE UNIQUE INDEX "elicitation_transition_account_id_account_change_key" ON "elicitation_transition"("account_id", "account_change");

-- CreateIndex
CREATE UNIQUE INDEX "elicitation_transition_organization_id_organization_change_key" ON "elicitation_transition"("organization_id", "organization_change");

-- AddForeignKey
ALTER TABLE "elicitation" ADD CONSTRAINT "elicitation_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "elicitation" ADD CONSTRAINT "elicitation_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "elicitation" ADD CONSTRAINT "elicitation_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "session"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "elicitation" ADD CONSTRAINT "elicitation_requested_by_id_fkey" FOREIGN KEY ("requested_by_id") REFERENCES "credential"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "elicitation" ADD CONSTRAINT "elicitation_decided_by_id_fkey" FOREIGN KEY ("decided_by_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "elicitation_body" ADD CONSTRAINT "elicitation_body_elicitation_id_fkey" FOREIGN KEY ("elicitation_id") REFERENCES "elicitation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "elicitation_transition" ADD CONSTRAINT "elicitation_transition_elicitation_id_fkey" FOREIGN KEY ("elicitation_id") REFERENCES "elicitation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "elicitation_transition" ADD CONSTRAINT "elicitation_transition_by_id_fkey" FOREIGN KEY ("by_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

