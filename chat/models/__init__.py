"""The tables of the conversation."""

from chat.models.budgets import Budget, BudgetPeriod, BudgetScope, BudgetUnit, BudgetUse, Reservation
from chat.models.conversation import AlwaysSend, IdempotencyKey, Message, Session, SessionType, Summary
from chat.models.feedback import Feedback
from chat.models.generations import StructuredRun
from chat.models.offered import WorkspaceModels
from chat.models.prices import EnteredPrice
from chat.models.prompts import Prompt, PromptActivation, PromptType, PromptVersion, SitePromptVersion, VersionStatus
from chat.models.proposals import FETCH, Allowance, Proposal, ProposalStatus, ValidationRule
from chat.models.requests import RequestEntry, SentRequest
from chat.models.rounds import WAITING, Call, Round, calls_of
from chat.models.runs import LIVE, Process, Run, RunErrorCode, RunStatus
from chat.models.shares import Share, SharedLink
from chat.models.streams import Presence, Stream, StreamEvent
from chat.models.usage import ModelCall, Purpose

__all__ = [
    "FETCH",
    "LIVE",
    "WAITING",
    "Allowance",
    "AlwaysSend",
    "Budget",
    "BudgetPeriod",
    "BudgetScope",
    "BudgetUnit",
    "BudgetUse",
    "Call",
    "EnteredPrice",
    "Feedback",
    "IdempotencyKey",
    "Message",
    "ModelCall",
    "Presence",
    "Process",
    "Prompt",
    "PromptActivation",
    "PromptType",
    "PromptVersion",
    "Proposal",
    "ProposalStatus",
    "Purpose",
    "RequestEntry",
    "Reservation",
    "Round",
    "Run",
    "RunErrorCode",
    "RunStatus",
    "SentRequest",
    "Session",
    "SessionType",
    "Share",
    "SharedLink",
    "SitePromptVersion",
    "Stream",
    "StreamEvent",
    "StructuredRun",
    "Summary",
    "ValidationRule",
    "VersionStatus",
    "WorkspaceModels",
    "calls_of",
]
