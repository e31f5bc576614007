-- CreateEnum
CREATE TYPE "AccessChangeKind" AS ENUM ('ACCOUNT_CREATED', 'ACCOUNT_MOVED', 'ROLE_CHANGED', 'PLAN_CHANGED', 'CREDENTIAL_ISSUED', 'CREDENTIAL_REVOKED');

-- CreateTable
CREATE TABLE "access_change" (
    "number" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
    "kind" "AccessChangeKind" NOT NULL,
    "by_credential_id" UUID,
    "by_account_id" UUID,
    "account_id" UUID,
    "organization_id" UUID,
    "credential_id" UUID,
    "details" JSONB NOT NULL,

    CONSTRAINT "access_change_pkey" PRIMARY KEY ("number")
);

-- CreateIndex
CREATE INDEX "access_change_account_id_number_idx" ON "access_change"("account_id", "number");

-- CreateIndex
CREATE INDEX "access_change_organization_id_number_idx" ON "access_change"("organization_id", "number");
