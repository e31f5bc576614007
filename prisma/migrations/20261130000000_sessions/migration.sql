-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "OrganizationRole" AS ENUM ('ADMIN', 'MEMBER');

-- CreateEnum
CREATE TYPE "CredentialKind" AS ENUM ('PERSONAL', 'RUN', 'SERVICE');

-- CreateEnum
CREATE TYPE "SessionStatus" AS ENUM ('PROCESSING', 'PAUSED_FOR_INSUFFICIENT_QUOTA', 'COMPLETED', 'FAILED', 'UNKNOWN');

-- CreateTable
CREATE TABLE "organization" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "api_access" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "organization_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "account" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "organization_id" UUID,
    "role" "OrganizationRole",
    "api_access" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "credential" (
    "id" UUID NOT NULL,
    "number" BIGSERIAL NOT NULL,
    "account_id" UUID NOT NULL,
    "organization_id" UUID,
    "kind" "CredentialKind" NOT NULL,
    "name" TEXT,
    "scopes" TEXT[],
    "secret_hash" BYTEA NOT NULL,
    "session_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "credential_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "session" (
    "id" UUID NOT NULL,
    "number" BIGSERIAL NOT NULL,
    "owner_id" UUID NOT NULL,
    "organization_id" UUID,
    "title" TEXT,
    "status" "SessionStatus" NOT NULL DEFAULT 'COMPLETED',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "creation_hash" BYTEA NOT NULL,
    "event_head" INTEGER NOT NULL DEFAULT 0,
    "citation_head" INTEGER NOT NULL DEFAULT 0,
    "source_head" INTEGER NOT NULL DEFAULT 0,
    "artifact_head" INTEGER NOT NULL DEFAULT 0,
    "delivered_output_head" INTEGER NOT NULL DEFAULT 0,
    "pending_stop" INTEGER,

    CONSTRAINT "session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event" (
    "session_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "event_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3),
    "payload" JSONB NOT NULL,
    "content_hash" BYTEA NOT NULL,
    "resource_id" TEXT,
    "replies_to" TEXT,

    CONSTRAINT "event_pkey" PRIMARY KEY ("session_id","number")
);

-- CreateTable
CREATE TABLE "citation" (
    "session_id" UUID NOT NULL,
    "event_number" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "number" INTEGER NOT NULL,
    "citation_id" TEXT NOT NULL,
    "reference" TEXT,
    "quote" TEXT NOT NULL,
    "source_ref" TEXT NOT NULL,
    "source" JSONB NOT NULL,

    CONSTRAINT "citation_pkey" PRIMARY KEY ("session_id","event_number","position")
);

-- CreateTable
CREATE TABLE "source" (
    "session_id" UUID NOT NULL,
    "source_ref" TEXT NOT NULL,
    "number" INTEGER,
    "title" TEXT,
    "authors" TEXT[],
    "year" INTEGER,
    "doi" TEXT,
    "url" TEXT,
    "venue" TEXT,
    "citation_count" BIGINT,
    "full_text_available" BOOLEAN,
    "study_type_tags" TEXT[],
    "journal_quartile" INTEGER,
    "elicit_id" TEXT,
    "abstract" TEXT,

    CONSTRAINT "source_pkey" PRIMARY KEY ("session_id","source_ref")
);

-- CreateTable
CREATE TABLE "artifact" (
    "session_id" UUID NOT NULL,
    "artifact_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "format" TEXT,
    "filename" TEXT NOT NULL,
    "content_type" TEXT,
    "size_bytes" BIGINT,
    "created_at" TIMESTAMPTZ(3),

    CONSTRAINT "artifact_pkey" PRIMARY KEY ("session_id","artifact_id")
);

-- CreateTable
CREATE TABLE "delivered_output" (
    "session_id" UUID NOT NULL,
    "artifact_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "caption" TEXT,
    "row_count" INTEGER,
    "created_at" TIMESTAMPTZ(3),

    CONSTRAINT "delivered_output_pkey" PRIMARY KEY ("session_id","artifact_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "organization_name_key" ON "organization"("name");

-- CreateIndex
CREATE INDEX "account_organization_id_idx" ON "account"("organization_id");

-- CreateIndex
CREATE UNIQUE INDEX "credential_number_key" ON "credential"("number");

-- CreateIndex
CREATE UNIQUE INDEX "credential_secret_hash_key" ON "credential"("secret_hash");

-- CreateIndex
CREATE INDEX "credential_account_id_number_idx" ON "credential"("account_id", "number");

-- CreateIndex
CREATE INDEX "credential_organization_id_number_idx" ON "credential"("organization_id", "number");

-- CreateIndex
CREATE INDEX "credential_session_id_idx" ON "credential"("session_id");

-- CreateIndex
CREATE UNIQUE INDEX "session_number_key" ON "session"("number");

-- CreateIndex
CREATE INDEX "session_owner_id_number_idx" ON "session"("owner_id", "number");

-- CreateIndex
CREATE INDEX "session_organization_id_number_idx" ON "session"("organization_id", "number");

-- CreateIndex
CREATE INDEX "event_session_id_kind_number_idx" ON "event"("session_id", "kind", "number");

-- CreateIndex
CREATE INDEX "event_session_id_kind_resource_id_number_idx" ON "event"("session_id", "kind", "resource_id", "number");

-- CreateIndex
CREATE UNIQUE INDEX "event_session_id_event_id_key" ON "event"("session_id", "event_id");

-- CreateIndex
CREATE UNIQUE INDEX "event_session_id_replies_to_key" ON "event"("session_id", "replies_to");

-- CreateIndex
CREATE INDEX "citation_session_id_source_ref_number_idx" ON "citation"("session_id", "source_ref", "number");

-- CreateIndex
CREATE UNIQUE INDEX "citation_session_id_event_number_citation_id_key" ON "citation"("session_id", "event_number", "citation_id");

-- CreateIndex
CREATE UNIQUE INDEX "source_session_id_number_key" ON "source"("session_id", "number");

-- CreateIndex
CREATE UNIQUE INDEX "artifact_session_id_number_key" ON "artifact"("session_id", "number");

-- CreateIndex
CREATE UNIQUE INDEX "delivered_output_session_id_number_key" ON "delivered_output"("session_id", "number");

-- AddForeignKey
ALTER TABLE "account" ADD CONSTRAINT "account_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credential" ADD CONSTRAINT "credential_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credential" ADD CONSTRAINT "credential_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "session"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "event" ADD CONSTRAINT "event_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "session"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "citation" ADD CONSTRAINT "citation_session_id_event_number_fkey" FOREIGN KEY ("session_id", "event_number") REFERENCES "event"("session_id", "number") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "source" ADD CONSTRAINT "source_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "session"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "artifact" ADD CONSTRAINT "artifact_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "session"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "delivered_output" ADD CONSTRAINT "delivered_output_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "session"("id") ON DELETE RESTRICT ON UPDATE CASCADE;


